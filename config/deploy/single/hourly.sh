#!/bin/sh
# Crawls due pages and indexes them, then waits an hour, again and again. A signal ends it together with the running command. It also
# ends at a status that needs a person: a wrong setting, a full disk, a damaged table.
trap '[ -z "$!" ] || kill -TERM "$!" 2>/dev/null; wait; exit 0' TERM INT

run() {
  "$@" &
  wait "$!"
}

once() {
  run webcrawl crawl /etc/webcrawl/seeds.txt --config /etc/webcrawl/settings.json --max-time 50m --wait 60 || return
  run webcrawl index --config /etc/webcrawl/settings.json --wait 60
}

while :; do
  once
  status=$?
  # 69: the table is in use, or the proxy fails. This may be temporary.
  [ "$status" -eq 0 ] || [ "$status" -eq 69 ] || exit "$status"
  run sleep "${WEBCRAWL_EVERY:-3600}"
done
