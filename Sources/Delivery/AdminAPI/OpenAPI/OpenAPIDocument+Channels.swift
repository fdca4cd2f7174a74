extension OpenAPIDocument {
    static var channelPaths: String {
        """
        "/api/v1/channels": {
          "get": {
            "tags": ["channels"], "operationId": "listChannels", "summary": "Lists channels in order of their ids",
            "parameters": [
              {"$ref": "#/components/parameters/limit"}, {"$ref": "#/components/parameters/cursor"}
            ],
            "responses": {
              "200": {
                "description": "One page of the list",
                "headers": {"Link": {"$ref": "#/components/headers/Link"}},
                "content": \(json("ChannelList"))
              },
              "400": \(response("BadRequest")),
              \(commonFailures)
            }
          },
          "post": {
            "tags": ["channels"], "operationId": "createChannel", "summary": "Creates a channel",
            "description": "Checks form and address only and fetches nothing: what the source turns out to be shows in the channel's status. The id of a deleted channel may be used again; the channel then continues what was recorded.",
            "requestBody": {"$ref": "#/components/requestBodies/NewChannel"},
            "responses": {
              "201": \(createdChannel),
              "400": \(response("BadRequest")),
              "409": \(response("Conflict")),
              \(changeFailures)
            }
          }
        }
        """
    }

    static var singleChannelPaths: String {
        """
        "/api/v1/channels/{channel}": {
          "parameters": [{"$ref": "#/components/parameters/channel"}],
          "get": {
            "tags": ["channels"], "operationId": "getChannel", "summary": "Reads a channel",
            "parameters": [{"$ref": "#/components/parameters/ifNoneMatch"}],
            "responses": {
              "200": \(channel),
              "304": {"description": "The channel is in a version that If-None-Match names"},
              "400": \(response("BadRequest")),
              "404": \(response("NotFound")),
              "412": \(response("PreconditionFailed")),
              \(commonFailures)
            }
          },
          "put": {
            "tags": ["channels"], "operationId": "putChannel", "summary": "Replaces a channel or creates it",
            "parameters": [{"$ref": "#/components/parameters/ifMatch"}],
            "requestBody": {"$ref": "#/components/requestBodies/Channel"},
            "responses": {
              "200": \(channel),
              "201": \(createdChannel),
              "400": \(response("BadRequest")),
              "412": \(response("PreconditionFailed")),
              \(changeFailures)
            }
          },
          "patch": {
            "tags": ["channels"], "operationId": "patchChannel", "summary": "Changes fields of a channel",
            "description": "A merge patch (RFC 7396): null gives a field its default back. In retention_seconds null is a value and keeps for ever.",
            "parameters": [{"$ref": "#/components/parameters/ifMatch"}],
            "requestBody": {"$ref": "#/components/requestBodies/ChannelPatch"},
            "responses": {
              "200": \(channel),
              "400": \(response("BadRequest")),
              "404": \(response("NotFound")),
              "412": \(response("PreconditionFailed")),
              \(changeFailures)
            }
          },
          "delete": {
            "tags": ["channels"], "operationId": "deleteChannel", "summary": "Stops a channel and removes it",
            "description": "What was recorded plays until retention takes it. With purge it goes at once; this also works for a channel that was deleted before.",
            "parameters": [
              {"$ref": "#/components/parameters/purge"}, {"$ref": "#/components/parameters/ifMatch"}
            ],
            "responses": {
              "204": {"description": "The channel is removed"},
              "400": \(response("BadRequest")),
              "404": \(response("NotFound")),
              "412": \(response("PreconditionFailed")),
              \(commonFailures)
            }
          }
        }
        """
    }

    private static var channel: String {
        """
        {"description": "The channel", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
         "content": \(json("Channel"))}
        """
    }

    private static var createdChannel: String {
        """
        {"description": "The new channel",
         "headers": {
           "ETag": {"$ref": "#/components/headers/ETag"}, "Location": {"$ref": "#/components/headers/Location"}
         },
         "content": \(json("Channel")),
         "links": {
           "read": {"operationId": "getChannel", "parameters": {"channel": "$response.body#/id"}},
           "status": {"operationId": "getStatus", "parameters": {"channel": "$response.body#/id"}},
           "timeline": {"operationId": "getTimeline", "parameters": {"channel": "$response.body#/id"}}
         }}
        """
    }

    private static var changeFailures: String {
        """
        "413": \(response("ContentTooLarge")),
        "415": \(response("UnsupportedMediaType")),
        \(commonFailures)
        """
    }
}
