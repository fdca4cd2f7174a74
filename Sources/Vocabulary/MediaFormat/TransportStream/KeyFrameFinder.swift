import Timeline

/// Finds the key frames of one video stream while its packets pass.
///
/// Of each picture it looks at the units up to the first slice: most begin in the first packet.
struct KeyFrameFinder {
    private(set) var pid: UInt16?
    private var codec = PictureScanner.Codec.h264
    private var list = KeyFrameList()
    private var picture: Picture?
    /// Bytes of the segment up to the end of its tables; 0 when it has none of its own.
    private(set) var tableByteCount = 0

    /// A picture whose last packet has not passed.
    private struct Picture {
        var offset: Int
        var end: Int
        var time: MediaTimestamp
        var scanner: PictureScanner
        /// Nil until its first slice was seen.
        var isKeyFrame: Bool?
    }

    /// Takes the first video stream of the program map that can be searched.
    mutating func follow(_ streams: [ProgramStream], tableByteCount: Int) {
        guard pid == nil, let video = streams.first(where: { $0.kind == .video }),
            let codec = video.codec.flatMap(PictureScanner.Codec.init)
        else { return }
        (pid, self.codec, self.tableByteCount) = (video.pid, codec, tableByteCount)
    }

    /// The first packet of a picture, from `offset` on; `payload` begins behind the header.
    mutating func begin(
        at offset: Int, _ header: PESHeader, payload: Span<UInt8>, isRandomAccess: Bool,
    ) {
        close()
        guard let time = header.presentationTime else { return }
        picture = Picture(
            offset: offset, end: offset, time: MediaTimestamp(mpeg: time),
            scanner: PictureScanner(codec: codec, isMarked: isRandomAccess))
        pass(payload, upTo: offset + TransportPacket.byteCount)
    }

    /// Whether the first slice of a picture is still to come.
    var isSearching: Bool { picture != nil && picture?.isKeyFrame == nil }

    /// Packets of the stream, which end at `end`, while nothing is searched.
    mutating func pass(upTo end: Int) {
        picture?.end = end
    }

    /// The payload of a packet of the stream, which ends at `end`.
    mutating func pass(_ payload: Span<UInt8>, upTo end: Int) {
        guard var open = picture.take() else { return }
        open.end = end
        if open.isKeyFrame == nil { open.isKeyFrame = open.scanner.scan(payload) }
        if open.isKeyFrame != false { picture = open }
    }

    mutating func keyFrames(since first: MediaTimestamp?, in byteCount: Int) -> KeyFrames? {
        close()
        return list.keyFrames(since: first, in: byteCount, tableByteCount: tableByteCount)
    }

    private mutating func close() {
        if let picture, picture.isKeyFrame == true {
            list.add(offset: picture.offset, end: picture.end, time: picture.time)
        }
        picture = nil
    }
}
