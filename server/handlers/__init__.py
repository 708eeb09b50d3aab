"""The endpoints under /v1: each handler decodes, calls, encodes; its Route stands beside it."""

from server.handlers import players, presets, records, streams, tables

ROUTES = (*players.ROUTES, *presets.ROUTES, *tables.ROUTES, *streams.ROUTES, *records.ROUTES)
