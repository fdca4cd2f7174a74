import Timeline

extension OpenAPIDocument {
    static var reportSchemas: String {
        """
        "Instant": {"type": "string", "format": "date-time", "examples": ["2026-07-26T05:05:16.000Z"]},
        "OptionalInstant": {"type": ["string", "null"], "format": "date-time"},
        "GapReason": {"enum": [\(gapReasons)]},
        "Status": \(status),
        "RenditionStatus": {
          "type": "object",
          "required": ["id", "kind", "last_segment", "bits_per_second", "seen", "stored", "lost"],
          "properties": {
            "id": \(schema("RenditionID")),
            "kind": {"enum": ["video", "audio", "subtitles"]},
            "last_segment": \(schema("OptionalInstant")),
            "bits_per_second": {"type": "integer", "minimum": 0},
            "seen": {
              "type": ["integer", "null"], "minimum": 0, "description": "Segments that the source has listed; \(uncounted)"
            },
            "stored": {"type": ["integer", "null"], "minimum": 0, "description": "Segments stored; \(uncounted)"},
            "lost": {
              "type": ["object", "null"], "description": "Segments lost, by reason; \(uncounted)",
              "propertyNames": \(schema("GapReason")), "additionalProperties": {"type": "integer", "minimum": 1}
            }
          }
        },
        "Timeline": {
          "type": "object", "required": ["channel", "from", "to", "spans", "gaps"],
          "properties": {
            "channel": \(schema("ChannelID")), "from": \(schema("Instant")), "to": \(schema("Instant")),
            "spans": {"type": "array", "items": \(schema("Span"))},
            "gaps": {"type": "array", "items": \(schema("Gap"))}
          }
        },
        "Span": {
          "type": "object", "required": ["begin", "end", "segments", "bytes"],
          "properties": {
            "begin": \(schema("Instant")), "end": \(schema("Instant")),
            "segments": {"type": "integer", "minimum": 1}, "bytes": {"type": "integer", "minimum": 0}
          }
        },
        "Gap": {
          "type": "object", "required": ["begin", "end", "reason", "rendition"],
          "properties": {
            "begin": \(schema("Instant")), "end": \(schema("Instant")), "reason": \(schema("GapReason")),
            "rendition": {
              "type": ["string", "null"], "description": "null when the whole channel lacks the time"
            }
          }
        }
        """
    }

    private static let uncounted =
        "since the instant in since, null when this process does not record the channel"

    private static var gapReasons: String {
        GapReason.allCases.map { "\"\($0.word)\"" }.joined(separator: ", ")
    }

    private static var status: String {
        """
        {
          "type": "object",
          "required": [
            "channel", "state", "detail", "live_edge", "lag_seconds", "source", "clock", "clock_offset_seconds",
            "since", "renditions"
          ],
          "properties": {
            "channel": \(schema("ChannelID")),
            "state": {"enum": ["recording", "waiting", "stalled", "paused", "ended"]},
            "detail": {"type": ["string", "null"], "description": "What is wrong, in words"},
            "live_edge": \(schema("OptionalInstant")),
            "lag_seconds": {"type": ["number", "null"], "description": "Now less the live edge"},
            "source": {
              "type": ["object", "null"], 
              "description": "The source in use, or that of the newest segments when another process records the channel; null before a source has answered",
              "required": ["url", "priority", "allow_invalid_certificate"],
              "properties": {
                "url": {"type": "string", "description": "Without user information and query"},
                "priority": {"type": ["integer", "null"], "description": "null when the settings do not have it any more"},
                "allow_invalid_certificate": {"type": "boolean"}
              }
            },
            "clock": {"enum": ["source", "arrival"]},
            "clock_offset_seconds": {
              "type": ["number", "null"], "description": "The source's date less arrival; null without dates"
            },
            "since": {
              "type": ["string", "null"], "format": "date-time",
              "description": "When counting began; null when this process does not record the channel and counts nothing"
            },
            "renditions": {"type": "array", "items": \(schema("RenditionStatus"))}
          }
        }
        """
    }

    static var problemSchemas: String {
        """
        "Problem": {
          "type": "object", "description": "RFC 9457", "required": ["type", "title", "status", "detail"],
          "properties": {
            "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
            "detail": {"type": "string"},
            "errors": {"type": "array", "items": \(schema("Fault"))},
            "errors_left_out": {"type": "integer"}
          }
        },
        "Fault": {
          "type": "object", "required": ["detail"],
          "properties": {
            "pointer": {"type": "string", "description": "A field of the body (RFC 6901, as a fragment)"},
            "parameter": {"type": "string", "description": "A parameter of the query"},
            "header": {"type": "string", "description": "A header of the request"},
            "detail": {"type": "string"}
          }
        },
        "Health": {
          "type": "object", "required": ["status", "version"],
          "properties": {"status": {"const": "ok"}, "version": {"type": "string"}}
        },
        "Reachability": {"enum": ["ok", "unreachable"]},
        "Readiness": {
          "type": "object", "required": ["status", "catalogue", "archive"],
          "properties": {"status": {"const": "ready"}, "catalogue": {"const": "ok"}, "archive": {"const": "ok"}}
        },
        "NotReady": {
          "allOf": [\(schema("Problem"))], "type": "object", "required": ["catalogue", "archive"],
          "properties": {"catalogue": \(schema("Reachability")), "archive": \(schema("Reachability"))}
        }
        """
    }
}
