/// Where the key frames of a segment lie in its plain bytes.
package struct KeyFrames: Hashable, Sendable {
    /// Bytes from the begin of the segment to the end of the tables of its transport stream; 0 if a player
    /// needs none or they were not found.
    package var tableByteCount: Int
    /// In the order of the bytes and of time; at least one.
    package var frames: [KeyFrame]

    package init(tableByteCount: Int = 0, frames: [KeyFrame]) {
        (self.tableByteCount, self.frames) = (tableByteCount, frames)
    }
}

/// A picture that can be decoded alone, and what a player must read for it.
package struct KeyFrame: Hashable, Sendable {
    /// Of the transport packet in which it begins, or of the fragment that it is in.
    package var offset: Int
    package var byteCount: Int
    /// After the first timestamp of the segment, in milliseconds.
    package var milliseconds: Int

    package init(offset: Int, byteCount: Int, milliseconds: Int) {
        (self.offset, self.byteCount, self.milliseconds) = (offset, byteCount, milliseconds)
    }

    @inlinable package var end: Int { offset + byteCount }
    /// After the first timestamp of the segment, in microseconds.
    package var time: Int64 { Int64(milliseconds) * 1000 }

    /// Whether it follows another frame, or is the first, and lies in a segment of possible size.
    fileprivate func follows(_ previous: KeyFrame?) -> Bool {
        guard offset >= 0, offset <= Int(Int32.max), byteCount > 0, byteCount <= Int(Int32.max),
            milliseconds >= 0, milliseconds <= Int(Int32.max)
        else { return false }
        return previous.map { offset >= $0.end && milliseconds > $0.milliseconds } ?? true
    }
}

/// The form in a journal line: the bytes of the tables, then three numbers for each frame.
extension KeyFrames: Codable {
    package init(from decoder: any Decoder) throws {
        let numbers = try decoder.singleValueContainer().decode([Int].self)
        var frames: [KeyFrame] = []
        var index = 1
        while index + 2 < numbers.count {
            let frame = KeyFrame(
                offset: numbers[index], byteCount: numbers[index + 1], milliseconds: numbers[index + 2])
            if frame.follows(frames.last) { frames.append(frame) }
            index += 3
        }
        self.init(tableByteCount: max(0, numbers.first ?? 0), frames: frames)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            [tableByteCount] + frames.flatMap { [$0.offset, $0.byteCount, $0.milliseconds] })
    }
}

/// The form in the catalogue: numbers of seven bits a byte, each frame as its distance from the one before.
///
/// Most frames have seven or eight bytes.
extension KeyFrames {
    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + 8 * frames.count)
        Self.append(tableByteCount, to: &bytes)
        Self.append(frames.count, to: &bytes)
        var (end, time) = (0, 0)
        for frame in frames {
            Self.append(frame.offset - end, to: &bytes)
            Self.append(frame.byteCount, to: &bytes)
            Self.append(frame.milliseconds - time, to: &bytes)
            (end, time) = (frame.end, frame.milliseconds)
        }
        return bytes
    }

    /// Nil if the bytes are not what `packed` gives; any bytes are read without a trap.
    package init?(packed bytes: ArraySlice<UInt8>) {
        var frames: [KeyFrame] = []
        guard let tables = Self.read(packed: bytes, to: &frames) else { return nil }
        self.init(tableByteCount: tables, frames: frames)
    }

    /// Appends the frames to those of other segments, and returns the bytes of the tables.
    ///
    /// Nil if the bytes are not what `packed` gives; some frames may have been appended then.
    package static func read(packed bytes: ArraySlice<UInt8>, to frames: inout [KeyFrame]) -> Int? {
        var place = bytes.startIndex
        guard let tables = number(bytes, &place), let count = number(bytes, &place),
            count <= (bytes.endIndex - place) / 3
        else { return nil }
        var last: KeyFrame?
        for _ in 0..<count {
            guard let distance = number(bytes, &place), let length = number(bytes, &place),
                let pause = number(bytes, &place)
            else { return nil }
            let frame = KeyFrame(
                offset: (last?.end ?? 0) + distance, byteCount: length,
                milliseconds: (last?.milliseconds ?? 0) + pause)
            guard frame.follows(last) else { return nil }
            frames.append(frame)
            last = frame
        }
        return place == bytes.endIndex ? tables : nil
    }

    private static func append(_ value: Int, to bytes: inout [UInt8]) {
        var rest = UInt64(max(0, value))
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number of at most 35 bits.
    @inline(__always)
    private static func number(_ bytes: ArraySlice<UInt8>, _ place: inout Int) -> Int? {
        var (value, shift) = (0, 0)
        while shift < 35, place < bytes.endIndex {
            let byte = bytes[place]
            place += 1
            value |= Int(byte & 127) << shift
            if byte < 128 { return value }
            shift += 7
        }
        return nil
    }
}
