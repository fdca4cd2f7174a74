extension OpenAPIDocument {
    /// A strong or weak entity tag, or a star.
    private static let tagPattern = #"^(\\*|(W/)?\"[!#-~]*\"(, *(W/)?\"[!#-~]*\"){0,8})$"#
    /// The fields of a date and a time of day, with marks between them; leap days aside.
    private static func civil(_ date: String, _ between: String, _ clock: String) -> String {
        let long = "(0[13578]|1[02])\(date)(0[1-9]|[12][0-9]|3[01])"
        let short = "(0[469]|11)\(date)(0[1-9]|[12][0-9]|30)"
        let february = "02\(date)(0[1-9]|1[0-9]|2[0-8])"
        return
            "[12][0-9]{3}\(date)(\(long)|\(short)|\(february))\(between)([01][0-9]|2[0-3])\(clock)[0-5][0-9]\(clock)[0-5][0-9]"
    }

    /// Every form in which a time stands in URLs.
    private static var instantPattern: String {
        let seconds = #"[0-9]{1,11}(\\.[0-9]{1,6})?"#
        let digits = "[0-9]{12,13}|[0-9]{15,16}|\(civil("", "", ""))([0-9]{3})?"
        let offset = "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
        return "^(\(seconds)|\(digits)|\(civil("-", "T", ":"))" + #"(\\.[0-9]{1,6})?"# + "\(offset))$"
    }

    static var parameters: String {
        """
        "channel": {
          "name": "channel", "in": "path", "required": true, "description": "The channel's id",
          "schema": \(schema("ChannelID"))
        },
        "limit": {
          "name": "limit", "in": "query", "description": "Most items of one page",
          "schema": {
            "type": "integer", "minimum": \(Limits.pageItems.lowerBound), "maximum": \(Limits.pageItems.upperBound),
            "default": \(Limits.defaultPageItems)
          }
        },
        "cursor": {
          "name": "cursor", "in": "query", "description": "next_cursor of the page before",
          "schema": \(schema("ChannelID"))
        },
        "purge": {
          "name": "purge", "in": "query", "description": "Whether what was recorded goes too",
          "schema": {"type": "boolean", "default": false}
        },
        "from": \(instantParameter("from", "Begin of the time asked for; a day before the end when absent")),
        "to": \(instantParameter("to", "End of the time asked for; now when absent")),
        "ifMatch": \(tagParameter("If-Match", "Changes only the version that has this ETag; else the answer is 412")),
        "ifNoneMatch": \(tagParameter("If-None-Match", "The version that the client holds"))
        """
    }

    private static func instantParameter(_ name: String, _ description: String) -> String {
        let forms = "seconds or milliseconds since 1970, yyyyMMddHHmmss, or RFC 3339"
        return """
            {"name": "\(name)", "in": "query", "description": "\(description). In one of these forms: \(forms).",
             "schema": {"type": "string", "pattern": "\(instantPattern)"}}
            """
    }

    private static func tagParameter(_ name: String, _ description: String) -> String {
        """
        {"name": "\(name)", "in": "header", "description": "\(description).",
         "schema": {"type": "string", "pattern": "\(tagPattern)", "examples": ["\\"1-4\\"", "*"]}}
        """
    }

    static var headers: String {
        """
        "ETag": {"description": "Names this version of the channel", "schema": {"type": "string"}},
        "Location": {"description": "Path of the new channel", "schema": {"type": "string"}},
        "Link": {"description": "The next page (RFC 8288), when there is one", "schema": {"type": "string"}},
        "RetryAfter": {"description": "Seconds until a new try can help", "schema": {"type": "integer"}},
        "Allow": {"description": "The methods of the resource", "schema": {"type": "string"}},
        "WWWAuthenticate": {"description": "The scheme: Bearer", "schema": {"type": "string"}}
        """
    }

    static var requestBodies: String {
        """
        "NewChannel": {"required": true, "content": \(json("NewChannel"))},
        "Channel": {"required": true, "content": \(json("ChannelSettings"))},
        "ChannelPatch": {
          "required": true,
          "content": {
            "application/merge-patch+json": {"schema": \(schema("ChannelPatch"))},
            "application/json": {"schema": \(schema("ChannelPatch"))}
          }
        }
        """
    }

    static var responses: String {
        let problem = json("Problem", type: "application/problem+json")
        return """
            "BadRequest": {"description": "A field or parameter cannot be read; errors names it", "content": \(problem)},
            "Unauthorized": {
              "description": "The admin token is missing or another one",
              "headers": {"WWW-Authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}}, "content": \(problem)
            },
            "NotFound": {"description": "There is no such channel", "content": \(problem)},
            "Conflict": {"description": "A channel of this id exists", "content": \(problem)},
            "PreconditionFailed": {"description": "The channel is in another version", "content": \(problem)},
            "ContentTooLarge": {
              "description": "The body is over \(Limits.bodyBytes) bytes", "content": \(problem)
            },
            "UnsupportedMediaType": {"description": "The body is of another type", "content": \(problem)},
            "Failure": {"description": "The request failed; the log has the cause", "content": \(problem)},
            "Unavailable": {
              "description": "The catalogue cannot be reached",
              "headers": {"Retry-After": {"$ref": "#/components/headers/RetryAfter"}}, "content": \(problem)
            }
            """
    }
}
