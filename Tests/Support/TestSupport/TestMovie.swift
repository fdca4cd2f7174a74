import Foundation

/// An MP4 file as ffmpeg's tools see it.
package struct TestMovie: Sendable {
    private let folder: TemporaryFolder
    private let path: String

    package init(_ bytes: [UInt8]) throws {
        folder = try TemporaryFolder("movie")
        path = folder.path(of: "movie.mp4")
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// What ffmpeg says when it decodes all of it.
    package func complaints() async throws -> String {
        try await Command.run(
            "ffmpeg", ["-nostdin", "-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
    }

    /// From the begin to the end of the last packet.
    package func seconds() async throws -> Double {
        let text = try await probe("packet=pts_time,duration_time")
        let ends = text.split(separator: "\n").compactMap { line in
            let values = line.split(separator: ",").compactMap { Double($0) }
            return values.count == 2 ? values[0] + values[1] : nil
        }
        return ends.max() ?? 0
    }

    package func decodeTimes(_ kind: String) async throws -> [Double] {
        let text = try await probe("packet=dts_time", "-select_streams", kind)
        return text.split(separator: "\n").compactMap { Double($0.trimming(",")) }
    }

    /// The presentation times and digests of the packets of a stream.
    package func packets(_ kind: String) async throws -> [(seconds: Double, digest: Substring)] {
        let text = try await Command.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", kind, "-show_data_hash", "md5", "-show_entries",
                "packet=pts_time,data_hash", "-of", "default=noprint_wrappers=1", path,
            ])
        // Side data of a packet has entries between these two.
        var packets: [(seconds: Double, digest: Substring)] = []
        var seconds: Double?
        for line in text.split(separator: "\n") {
            let (name, value) = (line.prefix { $0 != "=" }, line.drop { $0 != "=" }.dropFirst())
            if name == "pts_time" { seconds = Double(value) }
            if name == "data_hash", let time = seconds { packets.append((time, value)) }
        }
        return packets
    }

    private func probe(_ entries: String, _ more: String...) async throws -> String {
        try await Command.run(
            "ffprobe", ["-v", "error"] + more + ["-show_entries", entries, "-of", "csv=p=0", path])
    }
}

extension Substring {
    fileprivate func trimming(_ mark: Character) -> Substring {
        last == mark ? dropLast() : self
    }
}
