import Foundation

/// Small videos that ffmpeg encodes.
package enum EncodedVideo {
    /// What ffmpeg writes to a file with these arguments, in their order behind a moving test picture.
    package static func made(_ arguments: [String], size: String = "320x180") async throws -> [UInt8] {
        let folder = try TemporaryFolder("video")
        let file = folder.path(of: "video.media")
        let picture = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25"]
        try await Command.run("/usr/bin/env", ["ffmpeg"] + picture + arguments + [file])
        return Array(try Data(contentsOf: URL(filePath: file)))
    }

    /// Four seconds of a transport stream with a key frame in each second.
    package static func transportStream(codec: String = "libx264") async throws -> [UInt8] {
        try await made([
            "-f", "lavfi", "-i", "sine", "-t", "4", "-c:v", codec, "-g", "25", "-pix_fmt", "yuv420p",
            "-preset", "ultrafast", "-c:a", "aac", "-f", "mpegts",
        ])
    }

    /// The same as fMP4 with two fragments: the initialization section and the segment behind it.
    package static func fragmented() async throws -> (initialization: [UInt8], segment: [UInt8]) {
        let bytes = try await made([
            "-t", "4", "-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-preset", "ultrafast",
            "-movflags",
            "empty_moov+default_base_moof", "-frag_duration", "2000000", "-f", "mp4",
        ])
        let data = Data(bytes)
        guard let name = data.firstRange(of: Data("moof".utf8)) else { throw TestFailure("no fragment") }
        return (Array(bytes[..<(name.lowerBound - 4)]), Array(bytes[(name.lowerBound - 4)...]))
    }

    /// The pixels of a JPEG picture: width and height, from its frame header (ITU-T T.81 B.2.2); nil for
    /// other bytes.
    package static func size(ofJPEG bytes: [UInt8]) -> [Int]? {
        guard bytes.starts(with: [0xFF, 0xD8]), bytes.suffix(2) == [0xFF, 0xD9] else { return nil }
        var index = 2
        while index + 9 < bytes.count, bytes[index] == 0xFF {
            if bytes[index + 1] == 0xC0 {
                let values = bytes[(index + 5)..<(index + 9)].map { Int($0) }
                return [values[2] << 8 | values[3], values[0] << 8 | values[1]]
            }
            index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
        }
        return nil
    }
}
