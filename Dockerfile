# The image holds the binary and the certificates of public authorities, and nothing else: no shell, no root.
#
#   docker build --build-arg VERSION=1.2.3 -t ohmroute .
#   docker run -p 127.0.0.1:4700:4700 -v ohmroute-data:/data -v ./ohmroute.yaml:/etc/ohmroute.yaml:ro \
#     -e OPENAI_API_KEY ohmroute serve --config /etc/ohmroute.yaml
#
# It listens on every interface of its container, so it wants client keys (or --allow-anonymous). There is no
# HEALTHCHECK: what looks after containers asks /healthz and /readyz over HTTP (deploy/kubernetes.yaml).
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION="" TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/ohmroute ./cmd/ohmroute \
    && mkdir -m 0700 /out/data && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/ohmroute /ohmroute
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
USER 65532:65532
ENV OHMROUTE_DATA_DIR=/data OHMROUTE_LISTEN=0.0.0.0:4700
VOLUME /data
EXPOSE 4700
STOPSIGNAL SIGTERM
ENTRYPOINT ["/ohmroute"]
CMD ["serve"]
