/// An initialization section (EXT-X-MAP, RFC 8216, 3), with what its segments lack.
package struct InitSection: Equatable, Sendable {
    package struct MovieTrack: Equatable, Sendable {
        /// Kind, codec and resolution; without times.
        package var description: Track
        /// The timescale, units per second; 0 when the section does not have it.
        package var timescale: UInt32
        /// The default values for the samples of a fragment.
        var sampleDuration: UInt32?
        var sampleSize: UInt32?
        var sampleFlags: UInt32?
    }

    /// Of fMP4, of a transport stream or of WebVTT.
    package let container: Container
    /// The tracks of fMP4.
    package private(set) var tracks: [MovieTrack] = []
    /// The tables of a transport stream or the header of WebVTT, which precede each of its segments.
    let opening: [UInt8]

    /// Reads a whole section: for fMP4 a moov with a track and valid boxes, for a transport stream whole
    /// packets.
    package static func reading(_ bytes: [UInt8]) throws(MediaFormatError) -> InitSection {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Limits.initSectionByteCount else {
            throw .initSectionTooLong(byteCount: bytes.count)
        }
        switch ContainerSniffer.container(of: Array(bytes.prefix(Limits.sniffByteCount))) {
        case .fragmentedMP4: return try movie(bytes)
        case .transportStream:
            let rest = bytes.count % TransportPacket.byteCount
            guard rest == 0 else { throw .invalidInitSection(.partialPacket(byteCount: rest)) }
            return InitSection(container: .transportStream, opening: bytes)
        case .webVTT: return InitSection(container: .webVTT, opening: bytes)
        case .packedAudio, nil:
            throw .unrecognised(DetectedContent(bytes), excerpt: Array(bytes.prefix(Limits.excerptByteCount)))
        }
    }

    private static func movie(_ bytes: [UInt8]) throws(MediaFormatError) -> InitSection {
        var boxes = BoxSequence(ByteCursor(bytes))
        var found: InitSection?
        while let box = boxes.next() {
            if box.type == "moov" && found == nil { found = InitSection(movie: box.content) }
        }
        if let offset = boxes.invalidOffset { throw .invalidInitSection(.invalidBox(offset: offset)) }
        guard let found, !found.tracks.isEmpty else { throw .invalidInitSection(.missingMedia) }
        return found
    }

    private init(container: Container, opening: [UInt8] = []) {
        self.container = container
        self.opening = opening
    }

    /// Reads the content of a moov.
    init(movie: ByteCursor) {
        self.init(container: .fragmentedMP4)
        for box in BoxSequence(movie) where box.type == "trak" && tracks.count < Limits.trackCount {
            if let track = MovieTrackReader.track(box.content) { tracks.append(track) }
        }
        guard let extends = BoxSequence.first("mvex", in: movie) else { return }
        for box in BoxSequence(extends.content) where box.type == "trex" { readDefaults(box) }
    }

    func track(_ id: UInt32) -> MovieTrack? {
        tracks.first { $0.description.id == id }
    }

    /// Reads the defaults of a track's samples (ISO 14496-12 §8.8.3).
    private mutating func readDefaults(_ box: Box) {
        var box = box
        guard box.fullHeader() != nil, let id = box.content.uint32(), box.content.skip(4),
            let duration = box.content.uint32(), let size = box.content.uint32(),
            let flags = box.content.uint32(),
            let index = tracks.firstIndex(where: { $0.description.id == id })
        else { return }
        tracks[index].sampleDuration = duration
        tracks[index].sampleSize = size
        tracks[index].sampleFlags = flags
    }
}
