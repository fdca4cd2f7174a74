import JSON
import TimeZones

/// The description of the admin API (OpenAPI 3.1), with the bounds that the program enforces.
enum OpenAPIDocument {
    static func text(version: String) -> [UInt8] {
        let quoted = String(decoding: JSONValue.string(version).bytes, as: UTF8.self)
        let text = """
            {
            "openapi": "3.1.0",
            "info": {
              "title": "Backcast admin API",
              "version": \(quoted),
              "description": "Channels of a catch-up TV server: what is recorded, from where, and how it goes. Instants are RFC 3339 in UTC with milliseconds, durations are seconds."
            },
            "servers": [{"url": "/"}],
            "tags": [
              {"name": "channels", "description": "What is recorded"},
              {"name": "operation", "description": "How the server does"}
            ],
            "security": [{"bearer": []}],
            "paths": {\(channelPaths), \(singleChannelPaths), \(reportPaths), \(operationPaths)},
            "components": {
              "securitySchemes": {
                "bearer": {
                  "type": "http", "scheme": "bearer",
                  "description": "The admin token: BACKCAST_ADMIN_TOKEN, or the one made at first start."
                }
              },
              "parameters": {\(parameters)},
              "headers": {\(headers)},
              "requestBodies": {\(requestBodies)},
              "responses": {\(responses)},
              "schemas": {\(channelSchemas), \(reportSchemas), \(problemSchemas)}
            }
            }
            """
        return Array(text.utf8)
    }

    /// Time zones of the IANA list that the platform knows.
    static var timeZones: String {
        NamedZone.names.map { "\"\($0)\"" }.joined(separator: ",")
    }

    /// A reference to a shared answer.
    static func response(_ name: String) -> String {
        "{\"$ref\": \"#/components/responses/\(name)\"}"
    }

    /// A reference to a shared schema.
    static func schema(_ name: String) -> String {
        "{\"$ref\": \"#/components/schemas/\(name)\"}"
    }

    /// A schema as the content of a body.
    static func json(_ name: String, type: String = "application/json") -> String {
        "{\"\(type)\": {\"schema\": \(schema(name))}}"
    }

    /// The answers that every request for the catalogue may get.
    static var commonFailures: String {
        """
        "401": \(response("Unauthorized")),
        "500": \(response("Failure")),
        "503": \(response("Unavailable"))
        """
    }
}
