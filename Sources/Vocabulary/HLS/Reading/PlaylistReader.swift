/// Reads line by line, and hands each tag to the reader of the kind of playlist it belongs to.
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
    /// First values of the tags that stand once.
    private var given: [PlaylistTag: ArraySlice<UInt8>] = [:]

    init(_ bytes: [UInt8], limits: ReadingLimits, source: VariableSource) throws(PlaylistError) {
        context = ReadingContext(limits: limits, source: source)
        guard !bytes.isEmpty else { throw context.error(.empty) }
        try context.check(bytes.count, .bytes, limits.byteCount)
        lines = LineCursor(bytes, from: try Opening.start(of: bytes, context: &context))
    }

    mutating func read() throws(PlaylistError) -> ReadPlaylist {
        try Opening.pass(&lines, context: &context)
        while let line = lines.next() {
            context.line = lines.number
            context.tag = nil
            try context.check(lines.number, .lines, context.limits.lineCount)
            try context.check(line.count, .lineBytes, context.limits.lineByteCount)
            if lines.wasTrimmed && !line.isEmpty { context.note(.blanksAroundLine) }
            if lines.endedByLoneCarriageReturn { context.note(.loneCarriageReturn) }
            try take(context.clean(line))
        }
        return try finished()
    }

    private mutating func take(_ line: ArraySlice<UInt8>) throws(PlaylistError) {
        guard let first = line.first else { return }
        guard first == ASCII.hash else { return try takeURI(line) }
        var cursor = ByteCursor(line)
        cursor.advance()
        let name = cursor.passing { $0 == ASCII.colon || ASCII.isBlank($0) }
        guard let tag = TagNames.tag(named: name) else { return takeUnknown(line) }
        if cursor.skip(ASCII.colon) { cursor.skipBlanks() }
        context.tag = tag
        try take(tag, cursor.rest, line: line)
    }

    private mutating func take(
        _ tag: PlaylistTag, _ value: ArraySlice<UInt8>, line: ArraySlice<UInt8>
    ) throws(PlaylistError) {
        try settleKind(tag)
        guard isFirst(tag, value) else { return }
        let isUnderstood =
            switch tag.scope {
            case .anyPlaylist: try common.take(tag, value, &context)
            case .mediaPlaylist: try media.takeForPlaylist(tag, value, &context)
            case .mediaSegment: try media.takeForSegment(tag, value, line: line, &context)
            case .multivariantPlaylist: try multivariant.take(tag, value, &context)
            }
        if !isUnderstood {
            context.note(.unreadableTag)
            takeUnknown(line)
        }
    }

    /// A list is of the kind of its first tag that belongs to one; a tag of the other is refused (§4.1).
    private mutating func settleKind(_ tag: PlaylistTag) throws(PlaylistError) {
        let own: Kind
        switch tag.scope {
        case .anyPlaylist: return
        case .mediaPlaylist, .mediaSegment: own = .media
        case .multivariantPlaylist: own = .multivariant
        }
        if let kind, kind != own { throw context.error(.mixedKinds) }
        kind = own
    }

    /// Whether a tag that stands once has not stood before; the first one counts.
    private mutating func isFirst(_ tag: PlaylistTag, _ value: ArraySlice<UInt8>) -> Bool {
        guard tag.standsOnce else { return true }
        guard let earlier = given[tag] else {
            given[tag] = value
            return true
        }
        context.note(earlier == value ? .repeatedTag : .conflictingTag)
        return false
    }

    private mutating func takeURI(_ line: ArraySlice<UInt8>) throws(PlaylistError) {
        switch kind {
        case .multivariant: try multivariant.takeURI(line, &context)
        case .media, nil: try media.takeURI(line, &context)
        }
    }

    /// Unknown tags and comments belong to the list until the first segment begins, then to segments.
    private mutating func takeUnknown(_ line: ArraySlice<UInt8>) {
        let text = context.text(line)
        if media.isInSegments {
            media.takeUnknown(text)
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
            guard !media.hasSegments else { throw PlaylistError(line: 0, tag: nil, reason: .noTags) }
            playlist = .media(try media.finished(common, &context))
        }
        return ReadPlaylist(playlist: playlist, notes: context.notes)
    }
}
