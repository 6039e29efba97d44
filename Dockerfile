# The base image, named by its tag here because only whoever can ask the registry knows the digest. Pin it for a release:
#   docker buildx imagetools inspect node:26-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:26-slim@sha256:… -t wafbot .
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Exactly the dependencies of the lock file, and none of their scripts.
RUN npm ci --ignore-scripts
COPY rolldown.config.ts ./
COPY src ./src
# The program with its dependencies in a few files. What is inside is listed beside it, for scanners.
RUN npm run build && npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > sbom.cdx.json

FROM ${NODE_IMAGE}
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/compiled
WORKDIR /app
# What cannot be in the bundle: the canvas, which is native, and the files of the font.
COPY --from=build /app/node_modules/@napi-rs ./node_modules/@napi-rs
COPY --from=build /app/node_modules/@fontsource/inter ./node_modules/@fontsource/inter
COPY --from=build /app/dist ./dist
COPY --from=build /app/sbom.cdx.json ./
COPY package.json LICENSE ./
# The store is the only thing the bot writes: the rest may be mounted read-only (`docker run --read-only`).
RUN mkdir data compiled && chown node:node data compiled && chmod 700 data
USER node
# Both programs are loaded once, which proves that nothing is missing and keeps what Node made of them for every start.
# Without settings the bot ends with 78.
RUN node dist/draw-worker.js && { node dist/main.js --check-config 2> /dev/null; test $? -eq 78; }
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "dist/cli.js", "health"]
# Straight to node, so that signals reach it.
CMD ["node", "dist/main.js"]
