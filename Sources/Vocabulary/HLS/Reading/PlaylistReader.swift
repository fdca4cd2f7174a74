/// Reads line by line and passes each tag to the reader of its kind of playlist.
struct PlaylistReader {
    private enum Kind {
        case media
        case multivariant
    }

    private var context: ReadingContext
    private var lines: LineCursor
    private var common = CommonTagsReader()
    private var media = MediaPlaylistReader()
    private var multivariant = MultivariantPlaylistReader()
    private var kind: Kind?
    /// The latest values of tags that may occur once.
    private var given: [PlaylistTag: ArraySlice<UInt8>] = [:]

    init(_ bytes: [UInt8], limits: ReadingLimits, source: VariableSource) throws(PlaylistError) {
        context = ReadingContext(limits: limits, source: source)
        guard !bytes.isEmpty else { throw context.error(.empty) }
        try context.check(bytes.count, .bytes, limits.byteCount)
        lines = LineCursor(bytes, from: try Opening.start(of: bytes, context: &context))
    }

    mutating func read() throws(PlaylistError) -> ReadPlaylist {
        common.unknownLines = try Opening.readHeader(&lines, context: &context)
        while let line = lines.next() {
            context.line = lines.number
            context.tag = nil
            try context.check(lines.number, .lines, context.limits.lineCount)
            try context.check(line.count, .lineBytes, context.limits.lineByteCount)
            if lines.hadBlanks && !line.isEmpty { context.note(.blanksAroundLine) }
            if lines.hadControls { context.note(.controlCharacter) }
            if lines.endedByLoneCarriageReturn { context.note(.loneCarriageReturn) }
            try read(context.clean(line))
            try context.checkMemory()
        }
        return try finished()
    }

    private mutating func read(_ line: ArraySlice<UInt8>) throws(PlaylistError) {
        guard let first = line.first else { return }
        guard first == ASCII.hash else { return try readURI(line) }
        var cursor = ByteCursor(line)
        cursor.advance()
        let name = cursor.readBytes { $0 == ASCII.colon || ASCII.isBlank($0) }
        guard let tag = TagNames.tag(named: name) else { return addUnknown(line) }
        if cursor.skip(ASCII.colon) { cursor.skipBlanks() }
        context.tag = tag
        try read(tag, cursor.rest, line: line)
    }

    private mutating func read(
        _ tag: PlaylistTag, _ value: ArraySlice<UInt8>, line: ArraySlice<UInt8>
    ) throws(PlaylistError) {
        try decideKind(tag)
        guard isNewValue(tag, value) else { return }
        let isUnderstood =
            switch tag.scope {
            case .anyPlaylist: try common.read(tag, value, &context)
            case .mediaPlaylist: try media.readForPlaylist(tag, value, &context)
            case .mediaSegment: try media.readForSegment(tag, value, line: line, &context)
            case .multivariantPlaylist: try multivariant.read(tag, value, &context)
            }
        if !isUnderstood {
            context.note(.unreadableTag)
            addUnknown(line)
        }
    }

    /// The first tag that belongs to one kind of playlist decides the kind; a tag of the other is refused
    /// (§4.1).
    private mutating func decideKind(_ tag: PlaylistTag) throws(PlaylistError) {
        let own: Kind
        switch tag.scope {
        case .anyPlaylist: return
        case .mediaPlaylist, .mediaSegment: own = .media
        case .multivariantPlaylist: own = .multivariant
        }
        if let kind, kind != own { throw context.error(.mixedKinds) }
        kind = own
    }

    /// Whether a tag says something that it has not said before; of one that may occur once the last counts.
    private mutating func isNewValue(_ tag: PlaylistTag, _ value: ArraySlice<UInt8>) -> Bool {
        guard tag.occursOnce else { return true }
        let earlier = given.updateValue(value, forKey: tag)
        guard let earlier else { return true }
        context.note(earlier == value ? .repeatedTag : .conflictingTag)
        return earlier != value
    }

    private mutating func readURI(_ line: ArraySlice<UInt8>) throws(PlaylistError) {
        switch kind {
        case .multivariant: try multivariant.readURI(line, &context)
        case .media, nil: try media.readURI(line, &context)
        }
    }

    /// Unknown tags and comments belong to the playlist until the first segment begins, then to segments.
    private mutating func addUnknown(_ line: ArraySlice<UInt8>) {
        guard let text = context.keptLine(line) else { return }
        if media.isInSegments {
            media.addUnknown(text)
        } else {
            common.unknownLines.append(text)
        }
    }

    private mutating func finished() throws(PlaylistError) -> ReadPlaylist {
        context.tag = nil
        let playlist: Playlist
        switch kind {
        case .multivariant: playlist = .multivariant(multivariant.finished(common, &context))
        case .media: playlist = .media(try media.finished(common, &context))
        case nil:
            guard !media.hasURIsWithoutDuration else {
                throw PlaylistError(line: 0, tag: nil, reason: .noTags)
            }
            playlist = .media(try media.finished(common, &context))
        }
        return ReadPlaylist(playlist: playlist, notes: context.notes)
    }
}
