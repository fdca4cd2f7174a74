import Timeline

extension VariantStream {
    /// Reads the attributes of a variant; those of an I-frame stream include its URI.
    package init(_ attributes: AttributeList, uri: String = "") {
        var rest = attributes
        self.init(uri: rest.take("URI") ?? uri, bandwidth: rest.take(integer: "BANDWIDTH") ?? 0)
        rest.remove("BANDWIDTH")
        averageBandwidth = rest.take(integer: "AVERAGE-BANDWIDTH")
        score = rest.take(decimal: "SCORE")
        codecs = rest.take("CODECS")
        supplementalCodecs = rest.take("SUPPLEMENTAL-CODECS")
        resolution = rest.take("RESOLUTION", Resolution.init)
        frameRate = rest.take(decimal: "FRAME-RATE")
        hdcpLevel = rest.take("HDCP-LEVEL")
        allowedCPC = rest.take("ALLOWED-CPC")
        videoRange = rest.take("VIDEO-RANGE")
        requiredVideoLayout = rest.take("REQ-VIDEO-LAYOUT")
        stableVariantID = rest.take("STABLE-VARIANT-ID")
        audioGroup = rest.take("AUDIO")
        videoGroup = rest.take("VIDEO")
        subtitlesGroup = rest.take("SUBTITLES")
        closedCaptions = rest.takeClosedCaptions()
        pathwayID = rest.take("PATHWAY-ID")
        name = rest.take("NAME")
        programID = rest.take(integer: "PROGRAM-ID")
        otherAttributes = rest
    }

    /// The attributes to write, without the URI.
    package var attributes: AttributeList {
        var list = AttributeList()
        list.append("BANDWIDTH", Optional(bandwidth))
        list.append("AVERAGE-BANDWIDTH", averageBandwidth)
        list.append("SCORE", score.flatMap(DecimalText.number))
        list.append("CODECS", quoted: codecs)
        list.append("SUPPLEMENTAL-CODECS", quoted: supplementalCodecs)
        list.append("RESOLUTION", resolution?.text)
        list.append("FRAME-RATE", frameRate.flatMap(DecimalText.number))
        list.append("HDCP-LEVEL", hdcpLevel)
        list.append("ALLOWED-CPC", quoted: allowedCPC)
        list.append("VIDEO-RANGE", videoRange)
        list.append("REQ-VIDEO-LAYOUT", quoted: requiredVideoLayout)
        list.append("STABLE-VARIANT-ID", quoted: stableVariantID)
        appendGroups(to: &list)
        list.append("PATHWAY-ID", quoted: pathwayID)
        list.append("NAME", quoted: name)
        list.append("PROGRAM-ID", programID)
        list.append(otherAttributes)
        return list
    }

    private func appendGroups(to list: inout AttributeList) {
        list.append("AUDIO", quoted: audioGroup)
        list.append("VIDEO", quoted: videoGroup)
        list.append("SUBTITLES", quoted: subtitlesGroup)
        switch closedCaptions {
        case .some(.none): list.append("CLOSED-CAPTIONS", "NONE")
        case .group(let group): list.append("CLOSED-CAPTIONS", quoted: group)
        case nil: break
        }
    }
}

extension AttributeList {
    /// The enumerated NONE or a quoted group, which may also be called NONE.
    fileprivate mutating func takeClosedCaptions() -> VariantStream.ClosedCaptions? {
        let name = "CLOSED-CAPTIONS"
        guard let attribute = attributes.first(where: { $0.name == name }) else { return nil }
        remove(name)
        return attribute.value == "NONE" && !attribute.isQuoted
            ? VariantStream.ClosedCaptions.none : .group(attribute.value)
    }
}
