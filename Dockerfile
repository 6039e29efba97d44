# The base image, named by its tag here because only whoever can ask the registry knows the digest. Pin it for a release:
#   docker buildx imagetools inspect node:26-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:26-slim@sha256:… -t wafbot .
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Production dependencies only, exactly those of the lock file, and none of their scripts; the `node` package is for
# development, the image brings its own. What is inside is listed beside it, for scanners.
RUN npm ci --omit=dev --ignore-scripts && npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > sbom.cdx.json && npm cache clean --force

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/sbom.cdx.json ./
COPY package.json LICENSE ./
COPY src ./src
# The store is the only thing the bot writes: the rest may be mounted read-only (`docker run --read-only`).
RUN mkdir data && chown node:node data && chmod 700 data
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "src/cli.ts", "health"]
# Straight to node, so that signals reach it.
CMD ["node", "src/main.ts"]
