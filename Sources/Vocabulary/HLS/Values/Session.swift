/// Data about the whole presentation (EXT-X-SESSION-DATA).
package struct SessionData: Sendable, Hashable {
    package var dataID: String
    package var value: String?
    package var uri: String?
    package var format: String?
    package var language: String?
    package var otherAttributes = AttributeList()

    package init(dataID: String) {
        self.dataID = dataID
    }
}

extension SessionData {
    /// Reads the attributes of session data; nil without DATA-ID.
    init?(_ attributes: AttributeList) {
        var rest = attributes
        guard let dataID = rest.take("DATA-ID") else { return nil }
        self.init(dataID: dataID)
        value = rest.take("VALUE")
        uri = rest.take("URI")
        format = rest.take("FORMAT")
        language = rest.take("LANGUAGE")
        otherAttributes = rest
    }

    /// The attributes to write.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("DATA-ID", quoted: dataID)
        list.append("VALUE", quoted: value)
        list.append("URI", quoted: uri)
        list.append("FORMAT", format)
        list.append("LANGUAGE", quoted: language)
        list.append(otherAttributes)
        return list
    }
}

/// The server that moves players between pathways (EXT-X-CONTENT-STEERING).
///
/// Backcast never requests it.
package struct ContentSteering: Sendable, Hashable {
    package var serverURI: String
    package var pathwayID: String?
    package var otherAttributes = AttributeList()

    package init(serverURI: String, pathwayID: String? = nil) {
        self.serverURI = serverURI
        self.pathwayID = pathwayID
    }
}

extension ContentSteering {
    /// Reads the attributes of steering; nil without SERVER-URI.
    init?(_ attributes: AttributeList) {
        var rest = attributes
        guard let serverURI = rest.take("SERVER-URI") else { return nil }
        self.init(serverURI: serverURI, pathwayID: rest.take("PATHWAY-ID"))
        otherAttributes = rest
    }

    /// The attributes to write.
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("SERVER-URI", quoted: serverURI)
        list.append("PATHWAY-ID", quoted: pathwayID)
        list.append(otherAttributes)
        return list
    }
}
