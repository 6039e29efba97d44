# The base image is named by its tag. Pin it by digest for a release:
#   docker buildx imagetools inspect node:26-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:26-slim@sha256:… -t wafbot .
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Exactly the dependencies of the lock file, without running their scripts.
RUN npm ci --ignore-scripts
COPY rolldown.config.ts ./
COPY src ./src
# Bundle the bot with its dependencies, and write a bill of materials for scanners.
RUN npm run build && npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > sbom.cdx.json

FROM ${NODE_IMAGE}
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/compiled
WORKDIR /app
# Not in the bundle: the native canvas and the font files.
COPY --from=build /app/node_modules/@napi-rs ./node_modules/@napi-rs
COPY --from=build /app/node_modules/@fontsource/inter ./node_modules/@fontsource/inter
COPY --from=build /app/dist ./dist
COPY --from=build /app/sbom.cdx.json ./
COPY package.json LICENSE ./
# The bot only writes to its store, so the rest can be read-only (`docker run --read-only`).
RUN mkdir data compiled && chown node:node data compiled && chmod 700 data
USER node
# Load both programs once: it shows that nothing is missing and fills the compile cache. Without settings the bot exits with 78.
RUN node dist/draw-worker.js && { node dist/main.js --check-config 2> /dev/null; test $? -eq 78; }
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "dist/cli.js", "health"]
# No shell in between, so that signals reach Node.
CMD ["node", "dist/main.js"]
