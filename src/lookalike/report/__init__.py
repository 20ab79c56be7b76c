"""What a run did, for people: a page with plots and examples."""
