extension OpenAPIDocument {
    static var reportPaths: String {
        """
        "/api/v1/channels/{channel}/status": {
          "parameters": [{"$ref": "#/components/parameters/channel"}],
          "get": {
            "tags": ["operation"], "operationId": "getStatus", "summary": "Says how recording goes",
            "responses": {
              "200": {"description": "The status", "content": \(json("Status"))},
              "400": \(response("BadRequest")),
              "404": \(response("NotFound")),
              \(commonFailures)
            }
          }
        },
        "/api/v1/channels/{channel}/timeline": {
          "parameters": [{"$ref": "#/components/parameters/channel"}],
          "get": {
            "tags": ["operation"], "operationId": "getTimeline", "summary": "Says what is held and what is missing",
            "description": "Spans are those of the leading rendition. Time in which the channel was not meant to be recorded is no gap. From must be before to, and at most \(Limits.timelineSeconds / 86_400) days.",
            "parameters": [{"$ref": "#/components/parameters/from"}, {"$ref": "#/components/parameters/to"}],
            "responses": {
              "200": {"description": "Spans and gaps", "content": \(json("Timeline"))},
              "400": \(response("BadRequest")),
              "404": \(response("NotFound")),
              \(commonFailures)
            }
          }
        }
        """
    }

    static var operationPaths: String {
        """
        "/api/v1/openapi.json": {
          "get": {
            "tags": ["operation"], "operationId": "getDocument", "summary": "This document", "security": [],
            "responses": {
              "200": {
                "description": "The document", "content": {"application/json": {"schema": {"type": "object"}}}
              }
            }
          }
        },
        "/healthz": {
          "get": {
            "tags": ["operation"], "operationId": "getHealth", "summary": "The process is up", "security": [],
            "responses": {"200": {"description": "It is", "content": \(json("Health"))}}
          }
        },
        "/readyz": {
          "get": {
            "tags": ["operation"], "operationId": "getReadiness", "security": [],
            "summary": "Catalogue and archive can be reached",
            "responses": {
              "200": {"description": "They can", "content": \(json("Readiness"))},
              "503": {
                "description": "One cannot, and the answer says which",
                "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}},
                "content": \(json("NotReady", type: "application/problem+json"))
              }
            }
          }
        },
        "/metrics": {
          "get": {
            "tags": ["operation"], "operationId": "getMetrics", "summary": "Metrics for Prometheus", "security": [],
            "responses": {
              "200": {
                "description": "The text format 0.0.4", "content": {"text/plain": {"schema": {"type": "string"}}}
              }
            }
          }
        }
        """
    }
}
