#!/bin/bash
# Workers as a map job of Hadoop Streaming, a task for each:
#   streaming.sh <workers> <folder in HDFS> <arguments of webcrawl crawl>
#   streaming.sh 16 /jobs/crawl https://example.com/ --table hbase://gw1:9090,gw2:9090/crawl
# webcrawl and Node must be installed on every node.
set -euo pipefail
workers=$1
folder=$2
shift 2

hadoop fs -rm -r -f "$folder"
hadoop fs -mkdir -p "$folder"
# One line for each task. The worker does not read it: --shard auto reads the number of the task from its environment.
seq "$workers" | hadoop fs -put - "$folder/workers.txt"

# Never two copies of a worker. A worker reports no progress to Hadoop, so there is no timeout.
exec mapred streaming \
  -D mapreduce.job.name=webcrawl \
  -D mapreduce.job.reduces=0 \
  -D mapreduce.map.speculative=false \
  -D mapreduce.map.maxattempts=100 \
  -D mapreduce.task.timeout=0 \
  -D mapreduce.input.lineinputformat.linespermap=1 \
  -inputformat org.apache.hadoop.mapred.lib.NLineInputFormat \
  -input "$folder/workers.txt" \
  -output "$folder/out" \
  -mapper "webcrawl crawl $* --shard auto"
