import Foundation

/// Encodes a minute once per set of parameters and keeps it between runs.
struct MinuteCache {
    var folder: String
    var options: ChannelOptions
    var minuteSeconds: Double

    /// The minute, encoded now unless it has been encoded before.
    func minute() async throws -> EncodedMinute {
        let target = "\(folder)/\(name)"
        if !FileManager.default.fileExists(atPath: target) { try await encode(into: target) }
        return try MinuteReader(
            folder: target, layout: options.layout, segmentCount: segmentCount,
            segmentSeconds: options.segmentSeconds
        ).read()
    }

    /// The number of segments that comes closest to the wanted length and has whole frames of audio and
    /// video.
    var segmentCount: Int {
        let wanted = max(1, Int((minuteSeconds / options.segmentSeconds).rounded()))
        let milliseconds = Int((options.segmentSeconds * 1000).rounded())
        return (wanted..<wanted + 4).first { $0 * milliseconds % 160 == 0 } ?? wanted
    }

    /// Every parameter that changes the bytes.
    private var name: String {
        let layout = options.layout
        let rates = layout.videos.map { String($0.bitsPerSecond) }.joined(separator: "-")
        return "marked-minute-\(layout.container.rawValue)-\(layout.audio.rawValue)-\(rates)"
            + "-\(options.segmentSeconds)-\(segmentCount)"
    }

    /// Encodes into a folder that gets its name when it is complete.
    private func encode(into target: String) async throws {
        let draft = "\(target).\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
        let arguments = EncoderArguments(
            layout: options.layout, segmentSeconds: options.segmentSeconds,
            totalSeconds: Double(segmentCount + 2) * options.segmentSeconds, folder: draft)
        let status = try await EncoderProcess().run(arguments.list())
        guard status == 0 else { throw OriginError.encoderFailed(status: status) }
        guard !FileManager.default.fileExists(atPath: target) else {
            // Another run was faster; its minute is equal.
            return try FileManager.default.removeItem(atPath: draft)
        }
        try FileManager.default.moveItem(atPath: draft, toPath: target)
    }
}
