"""Spark: n-grams hashed to sparse vectors, then MinHashLSH and its approximate similarity join, as its guide shows.

Three hash tables find 0.97 of the pairs at a similarity of 0.7, and more of those above. The join verifies candidates:
it computes their distance, from the vectors. Everything runs in one JVM with 8 GB; vectors and hashes are cached.
"""
# /// script
# dependencies = ["pyspark>=4", "numpy", "pyarrow"]
# ///

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from job import Found, clusters_of
from pyspark.ml.feature import HashingTF, MinHashLSH, NGram
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

if TYPE_CHECKING:
    from job import Job

PACKAGE = "pyspark"
FEATURES = 1 << 30  # so many that hashed n-grams hardly ever meet; sparse vectors take no more space for it
TABLES = 3


def session(job: Job) -> SparkSession:
    """Start Spark, or find it running."""
    builder = SparkSession.builder.master(f"local[{job.threads}]").config("spark.driver.memory", "8g")
    builder = builder.config("spark.sql.shuffle.partitions", 4 * job.threads)
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def run(job: Job) -> Found:
    """Hash every document, join the documents with themselves, unite the pairs."""
    spark = session(job)
    with job.stage("read, shingle and sign"):
        documents = spark.read.parquet(str(job.corpus)).repartition(4 * job.threads)
        words = documents.select("id", "text", f.split("text", " ").alias("words"))
        shingles = NGram(n=job.words, inputCol="words", outputCol="shingles").transform(words)
        short = f.when(f.size("shingles") == 0, f.array("text")).otherwise(f.col("shingles"))
        hashing = HashingTF(numFeatures=FEATURES, binary=True, inputCol="shingles", outputCol="features")
        vectors = hashing.transform(shingles.select("id", short.alias("shingles"))).select("id", "features")
        model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=TABLES, seed=1).fit(vectors)
        hashed = model.transform(vectors).cache()
        count = hashed.count()
    with job.stage("join"):
        joined = model.approxSimilarityJoin(hashed, hashed, 1 - job.threshold)
        ids = joined.select(f.col("datasetA.id").alias("one"), f.col("datasetB.id").alias("other"))
        table = ids.where("one < other").toArrow()
        hashed.unpersist()
    with job.stage("cluster"):
        pairs = np.stack([table["one"].to_numpy(), table["other"].to_numpy()], axis=1)
        return Found(clusters_of(pairs, count), pairs)
