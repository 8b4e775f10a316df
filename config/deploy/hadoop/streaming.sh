#!/bin/bash
# One step of a batch as a map job of Hadoop Streaming, a task for each shard:
#   streaming.sh <shards> <folder in HDFS> <arguments of webcrawl …>
#   streaming.sh 16 /jobs/b42-fetch fetch b42 --parse --table hbase://gw1:9090/crawl
# Run it again until the step is done: until webcrawl batch-done fetch b42; do streaming.sh …; done. webcrawl and Node must be
# installed on every node.
set -euo pipefail
shards=$1
folder=$2
shift 2

hadoop fs -rm -r -f "$folder"
hadoop fs -mkdir -p "$folder"
seq 0 $((shards - 1)) | sed "s:\$:/$shards:" | hadoop fs -put - "$folder/shards.txt"

# Never two copies of a task; only the shard, without the number of its line; a task for each line.
exec mapred streaming \
  -D mapreduce.job.name="webcrawl $*" \
  -D mapreduce.job.reduces=0 \
  -D mapreduce.map.speculative=false \
  -D mapreduce.map.maxattempts=20 \
  -D mapreduce.input.lineinputformat.linespermap=1 \
  -D stream.map.input.ignoreKey=true \
  -inputformat org.apache.hadoop.mapred.lib.NLineInputFormat \
  -input "$folder/shards.txt" \
  -output "$folder/out" \
  -mapper "webcrawl $* --shard -"
