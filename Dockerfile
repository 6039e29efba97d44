# The base image is named by its tag. Pin it by digest for a release:
#   docker buildx imagetools inspect node:26-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:26-slim@sha256:… -t wafbot .
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Exactly the dependencies of the lock file, without running their scripts and without a second Node.
RUN npm ci --ignore-scripts --workspaces=false
COPY rolldown.config.ts ./
COPY src ./src
COPY playground ./playground
# The same files as in the package, with a bill of materials for scanners: dist/sbom.cdx.json.
RUN npm run build

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="wafbot" \
      org.opencontainers.image.description="A Slack bot that answers questions about web application firewall traffic and attacks" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/compiled
WORKDIR /app
# Not in the bundle: the native canvas and the font files.
COPY --from=build /app/node_modules/@napi-rs ./node_modules/@napi-rs
COPY --from=build /app/node_modules/@fontsource/inter ./node_modules/@fontsource/inter
COPY --from=build /app/dist ./dist
COPY package.json LICENSE manifest.yml ./
# Like /tmp: whatever user the container runs as can create its store here, and only that user can read it.
RUN mkdir -m 1777 data compiled
# A number, so that Kubernetes can tell that it isn't root. Any other works, too.
USER 1000:1000
# Load everything once: it shows that nothing is missing and fills the compile cache. Without settings the bot exits with 78.
RUN node dist/draw-worker.js && { node dist/wafbot.js start --check-config 2> /dev/null; test $? -eq 78; }
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "dist/wafbot.js", "health"]
# No shell in between, so that signals reach Node.
ENTRYPOINT ["node", "dist/wafbot.js"]
CMD ["start"]
