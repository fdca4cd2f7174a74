import Timeline

/// Collects a multivariant playlist (RFC 8216bis §4.4.6).
struct MultivariantPlaylistReader {
    private var playlist = MultivariantPlaylist()
    /// The attributes of an EXT-X-STREAM-INF whose URI has not been read yet.
    private var announced: AttributeList?

    /// Reads a tag and returns whether it was understood.
    mutating func read(
        _ tag: PlaylistTag, _ value: ArraySlice<UInt8>, _ context: inout ReadingContext
    ) throws(PlaylistError) -> Bool {
        let attributes = try context.attributes(value)
        switch tag {
        case .streamInformation:
            if announced != nil { context.note(.missingURI) }
            announced = attributes
            return true
        case .media: return readRendition(attributes, &context)
        case .iFrameStreamInformation: return readIFrameStream(attributes, &context)
        case .sessionData:
            return add(SessionData(attributes), to: \.sessionData, unless: \.otherAttributes, &context)
        case .sessionKey:
            let key = Key(attributes).flatMap { $0.method == .none ? nil : $0 }
            return add(key, to: \.sessionKeys, unless: \.otherAttributes, &context)
        case .contentSteering:
            guard let steering = ContentSteering(attributes) else { return false }
            playlist.contentSteering = steering
            return true
        default: return true
        }
    }

    /// Reads the line after an EXT-X-STREAM-INF; the variant is left out when it requires an unknown
    /// attribute.
    mutating func readURI(_ line: ArraySlice<UInt8>, _ context: inout ReadingContext) throws(PlaylistError) {
        guard let attributes = announced else {
            context.note(.strayURI)
            return
        }
        announced = nil
        var variant = VariantStream(attributes)
        variant.uri = try context.uri(line)
        context.tag = .streamInformation
        if demandsUnknown(variant.otherAttributes, &context) { return }
        if attributes["BANDWIDTH"] == nil { context.note(.missingAttribute) }
        playlist.variants.append(variant)
    }

    mutating func finished(_ common: CommonTagsReader, _ context: inout ReadingContext)
        -> MultivariantPlaylist
    {
        if announced != nil {
            context.tag = .streamInformation
            context.note(.missingURI)
        }
        playlist.adopt(common)
        return playlist
    }

    private mutating func readRendition(_ attributes: AttributeList, _ context: inout ReadingContext) -> Bool
    {
        if attributes["GROUP-ID"] == nil || attributes["NAME"] == nil { context.note(.missingAttribute) }
        return add(Rendition(attributes), to: \.renditions, unless: \.otherAttributes, &context)
    }

    private mutating func readIFrameStream(_ attributes: AttributeList, _ context: inout ReadingContext)
        -> Bool
    {
        let stream = attributes["URI"] == nil ? nil : VariantStream(attributes)
        return add(stream, to: \.iFrameStreams, unless: \.otherAttributes, &context)
    }

    /// Adds a value that was understood completely; the tag of any other becomes an unknown line.
    private mutating func add<Value>(
        _ value: Value?, to list: WritableKeyPath<MultivariantPlaylist, [Value]>,
        unless others: KeyPath<Value, AttributeList>, _ context: inout ReadingContext,
    ) -> Bool {
        guard let value, !demandsUnknown(value[keyPath: others], &context) else { return false }
        playlist[keyPath: list].append(value)
        return true
    }

    /// Whether an unknown attribute begins with `REQ-`.
    private func demandsUnknown(_ others: AttributeList, _ context: inout ReadingContext) -> Bool {
        guard others.attributes.contains(where: { $0.name.hasPrefix("REQ-") }) else { return false }
        context.note(.unknownRequirement)
        return true
    }
}
