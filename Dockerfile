# The command in an image of its own: docker build -t webcrawl . && docker run --rm -v webcrawl:/data webcrawl crawl https://example.com/
# The table is in the volume /data. For many machines there is config/deploy/Dockerfile.
# With optional packages (config/deploy/Dockerfile says for what): --build-arg OPTIONAL="pdfjs-dist hyparquet-writer"
FROM node:24-trixie-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --pack-destination /packed

FROM node:24-trixie-slim
COPY --from=build /packed/*.tgz /tmp/
ARG OPTIONAL=""
# Packages beside webcrawl are found by it, in the versions that it asks for.
RUN npm install --global --ignore-scripts /tmp/*.tgz && rm /tmp/*.tgz && cd "$(npm root --global)/webcrawl" \
  && for name in $OPTIONAL; do \
    npm install --global --ignore-scripts "$name@$(node -p "require('./package.json').peerDependencies['$name']")" || exit 1; \
  done
# A new volume takes the owner of this folder.
RUN install -d -o node -g node -m 0700 /data
USER node
WORKDIR /data
ENV WEBCRAWL_TABLE=level:/data/table
VOLUME /data
# Port of `serve` and `crawl --serve`; give them --listen 0.0.0.0 here.
EXPOSE 8420
# The process that has the table answers, or the table can be opened.
HEALTHCHECK --interval=1m --timeout=30s --start-period=30s CMD ["webcrawl", "status", "--json"]
ENTRYPOINT ["webcrawl"]
CMD ["--help"]
