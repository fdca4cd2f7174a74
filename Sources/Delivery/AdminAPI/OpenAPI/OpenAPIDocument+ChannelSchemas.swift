import Timeline

extension OpenAPIDocument {
    private static let oneLine = #"^[^\\u0000-\\u001F\\u007F]*$"#
    private static let host = #"([A-Za-z0-9._-]+|\\[("# + addresses.joined(separator: "|") + #")\\])"#
    /// The forms of an IPv6 address by the place of its `::` (RFC 4291 §2.2).
    private static let addresses = [
        "(G:){7}G", "(G:){1,7}:", "(G:){1,6}:G", "(G:){1,5}(:G){1,2}", "(G:){1,4}(:G){1,3}",
        "(G:){1,3}(:G){1,4}",
        "(G:){1,2}(:G){1,5}", "G:(:G){1,6}", ":((:G){1,7}|:)",
    ].map { $0.replacing("G", with: "[0-9A-Fa-f]{1,4}") }
    private static let port =
        "(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])?)?"
    private static let url =
        #"^[Hh][Tt][Tt][Pp][Ss]?://([^\\u0000-\\u0020\\u007F/?#@]*@)?"# + host + port
        + #"([/?#][^\\u0000-\\u0020\\u007F]*)?$"#

    static var channelSchemas: String {
        """
        "ChannelID": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$", "examples": ["news"]},
        "RenditionID": {"type": "string", "pattern": "^[vas](0|[1-9][0-9]{0,2})$", "examples": ["v0"]},
        "SourceURL": {
          "type": "string", "maxLength": \(Limits.urlBytes), "pattern": "\(url)",
          "description": "An HLS playlist, http or https, at most \(Limits.urlBytes) bytes when escaped",
          "examples": ["http://origin.example/news/index.m3u8"]
        },
        "Source": \(source),
        "Sources": {
          "type": "array", "minItems": 1, "maxItems": \(Limits.sources), "items": \(schema("Source")),
          "description": "Where the channel comes from: the lowest priority first, then as listed"
        },
        "Channel": {
          "type": "object", "additionalProperties": false, "properties": {\(fields())},
          "required": [
            "id", "title", "sources", "recording", "retention_seconds", "max_bytes", "renditions", "guide_id",
            "clock", "encryption", "time_zone"
          ]
        },
        "ChannelSettings": {
          "type": "object", "additionalProperties": false,
          "description": "A channel as PUT takes it: the id must be that of the path or absent",
          "properties": {\(fields()), "source_url": \(schema("SourceURL"))},
          \(oneKindOfSource)
        },
        "NewChannel": {
          "type": "object", "additionalProperties": false, "required": ["id"],
          "properties": {\(fields()), "source_url": \(schema("SourceURL"))},
          \(oneKindOfSource)
        },
        "ChannelPatch": {
          "type": "object", "additionalProperties": false,
          "properties": {\(fields(nullable: true)), "source_url": \(schema("SourceURL"))},
          "not": {"required": ["sources", "source_url"]}
        },
        "ChannelList": {
          "type": "object", "required": ["items", "next_cursor"],
          "properties": {
            "items": {"type": "array", "items": \(schema("Channel"))},
            "next_cursor": {"type": ["string", "null"]}
          }
        }
        """
    }

    private static let oneKindOfSource =
        "\"oneOf\": [{\"required\": [\"sources\"]}, {\"required\": [\"source_url\"]}]"

    /// The fields of a channel; in a patch null stands for the default.
    private static func fields(nullable: Bool = false) -> String {
        let null = nullable ? ", \"null\"" : ""
        let nullWord = nullable ? ", null" : ""
        return """
            "id": \(schema("ChannelID")),
            "title": {
              "type": ["string"\(null)], "minLength": 1, "maxLength": \(Limits.titleCharacters), "pattern": "\(oneLine)"
            },
            "sources": \(schema("Sources")),
            "recording": {"type": ["boolean"\(null)], "default": true},
            "retention_seconds": {
              "type": ["integer", "null"], "minimum": \(ChannelSettings.retentionBounds.lowerBound),
              "maximum": \(ChannelSettings.retentionBounds.upperBound), "description": "null keeps for ever"
            },
            "max_bytes": {
              "type": ["integer", "null"], "minimum": \(Limits.maxBytes.lowerBound),
              "maximum": \(Limits.maxBytes.upperBound), "description": "null is no limit"
            },
            "renditions": {"anyOf": [
              {"enum": ["all", "highest", "lowest"\(nullWord)]},
              {"type": "array", "minItems": 1, "maxItems": \(Limits.renditions), "uniqueItems": true,
               "items": \(schema("RenditionID"))}
            ]},
            "guide_id": {
              "type": ["string", "null"], "minLength": 1, "maxLength": \(Limits.guideIDCharacters),
              "pattern": "\(oneLine)"
            },
            "clock": {"enum": ["auto", "source", "arrival"\(nullWord)]},
            "encryption": {"enum": ["keep", "clear"\(nullWord)]},
            "time_zone": {"enum": [\(timeZones)\(nullWord)], "description": "The zone of times without one in requests"}
            """
    }

    private static var source: String {
        """
        {
          "type": "object", "additionalProperties": false, "required": ["url"],
          "properties": {
            "url": \(schema("SourceURL")),
            "headers": {
              "type": "object", "maxProperties": \(Limits.headers),
              "propertyNames": {
                "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", "maxLength": \(Limits.headerNameCharacters)
              },
              "additionalProperties": {
                "type": "string", "maxLength": \(Limits.headerValueBytes),
                "pattern": "^[^\\\\u0000-\\\\u0008\\\\u000A-\\\\u001F\\\\u007F]*$"
              },
              "description": "Sent to the source's own host and to header_hosts only; values of at most \(Limits.headerValueBytes) bytes"
            },
            "priority": {
              "type": "integer", "minimum": \(Limits.priority.lowerBound), "maximum": \(Limits.priority.upperBound),
              "default": 0
            },
            "max_connections": {
              "type": ["integer", "null"], "minimum": \(Limits.maxConnections.lowerBound),
              "maximum": \(Limits.maxConnections.upperBound), "description": "null is no limit"
            },
            "allow_invalid_certificate": {"type": "boolean", "default": false},
            "inherit_query": {
              "type": "boolean", "default": false,
              "description": "Whether the playlist's query goes with the URLs that it lists"
            },
            "ip_version": {"enum": [null, 4, 6]},
            "header_hosts": {
              "type": "array", "maxItems": \(Limits.headerHosts),
              "items": {"type": "string", "maxLength": \(Limits.hostCharacters), "pattern": "^\(host)$"}
            }
          }
        }
        """
    }
}
