FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Production dependencies only; the `node` package is for development, the image brings its own.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY src ./src
# The store is the only thing the bot writes.
RUN mkdir data && chown node:node data
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "src/cli.ts", "health"]
# Straight to node, so that signals reach it.
CMD ["node", "src/main.ts"]
