extension MultivariantPlaylist {
    /// The bytes of the playlist; reading them gives an equal value.
    package func writtenBytes() -> [UInt8] {
        var writer = PlaylistWriter(reservingCapacity: 4_096)
        writeCommonTags(&writer)
        for line in unknownLines { writer.line(line) }
        if let contentSteering { writer.line(.contentSteering, contentSteering.attributes) }
        for data in sessionData { writer.line(.sessionData, data.attributes) }
        for key in sessionKeys { writer.line(.sessionKey, key.attributes) }
        for rendition in renditions { writer.line(.media, rendition.attributes) }
        for variant in variants {
            writer.line(.streamInformation, variant.attributes)
            writer.line(variant.uri)
        }
        for stream in iFrameStreams { writer.line(.iFrameStreamInformation, stream.attributesWithURI) }
        return writer.bytes
    }

    /// The text of the playlist.
    package func written() -> String {
        String(decoding: writtenBytes(), as: UTF8.self)
    }
}

extension VariantStream {
    /// The attributes of an I-frame stream, which include its URI.
    fileprivate var attributesWithURI: AttributeList {
        var list = attributes
        list.append("URI", quoted: uri)
        return list
    }
}
