/// An alternative of a group: a language, a camera, subtitles (EXT-X-MEDIA).
package struct Rendition: Sendable, Hashable {
    package enum MediaType: String, Sendable, Hashable, CaseIterable {
        case audio = "AUDIO"
        case video = "VIDEO"
        case subtitles = "SUBTITLES"
        case closedCaptions = "CLOSED-CAPTIONS"
    }

    package var type: MediaType
    /// Nil when the media is part of the variant's own.
    package var uri: String?
    package var groupID: String
    package var language: String?
    package var associatedLanguage: String?
    package var name: String
    package var stableRenditionID: String?
    package var isDefault = false
    package var isAutoselect = false
    package var isForced = false
    package var instreamID: String?
    package var bitDepth: Int?
    /// Samples per second.
    package var sampleRate: Int?
    package var characteristics: String?
    package var channels: String?
    package var otherAttributes = AttributeList()

    package init(type: MediaType, groupID: String, name: String, uri: String? = nil) {
        self.type = type
        self.groupID = groupID
        self.name = name
        self.uri = uri
    }
}

extension Rendition {
    /// Reads the attributes of a rendition; nil without a TYPE of the standard.
    package init?(_ attributes: AttributeList) {
        var rest = attributes
        guard let type = rest.take("TYPE", MediaType.init(rawValue:)) else { return nil }
        self.init(
            type: type, groupID: rest.take("GROUP-ID") ?? "", name: rest.take("NAME") ?? "",
            uri: rest.take("URI"))
        language = rest.take("LANGUAGE")
        associatedLanguage = rest.take("ASSOC-LANGUAGE")
        stableRenditionID = rest.take("STABLE-RENDITION-ID")
        isDefault = rest.take(flag: "DEFAULT")
        isAutoselect = rest.take(flag: "AUTOSELECT")
        isForced = rest.take(flag: "FORCED")
        instreamID = rest.take("INSTREAM-ID")
        bitDepth = rest.take(integer: "BIT-DEPTH")
        sampleRate = rest.take(integer: "SAMPLE-RATE")
        characteristics = rest.take("CHARACTERISTICS")
        channels = rest.take("CHANNELS")
        otherAttributes = rest
    }

    /// The attributes to write.
    package var attributes: AttributeList {
        var list = AttributeList()
        list.append("TYPE", type.rawValue)
        list.append("URI", quoted: uri)
        list.append("GROUP-ID", quoted: groupID)
        list.append("LANGUAGE", quoted: language)
        list.append("ASSOC-LANGUAGE", quoted: associatedLanguage)
        list.append("NAME", quoted: name)
        list.append("STABLE-RENDITION-ID", quoted: stableRenditionID)
        list.append("DEFAULT", flag: isDefault)
        list.append("AUTOSELECT", flag: isAutoselect)
        list.append("FORCED", flag: isForced)
        list.append("INSTREAM-ID", quoted: instreamID)
        list.append("BIT-DEPTH", bitDepth)
        list.append("SAMPLE-RATE", sampleRate)
        list.append("CHARACTERISTICS", quoted: characteristics)
        list.append("CHANNELS", quoted: channels)
        list.append(otherAttributes)
        return list
    }
}
