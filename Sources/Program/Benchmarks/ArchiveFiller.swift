import Foundation
import Timeline

/// Writes the bytes of those segments that measurements fetch; many names share one file's bytes.
struct ArchiveFiller {
    let folder: String

    /// The last day of the channel with short segments, and the newest segments of the first two channels.
    func fill(_ plan: CataloguePlan) throws {
        for channel in plan.channels {
            switch channel.name {
            case "short": try fill(channel, count: 86_400 / channel.seconds, before: plan.end)
            case "c0", "c1": try fill(channel, count: Self.newest, before: plan.end)
            default: break
            }
        }
    }

    /// Segments of one channel that differ, so that they do not all lie in the processor's cache.
    private static let newest: Int64 = 64
    /// Names of the same bytes; a file system allows some ten thousand.
    private static let namesPerFile = 1800

    private func fill(_ channel: PlannedChannel, count: Int64, before end: Instant) throws {
        guard let id = ChannelID(channel.name) else { return }
        let files = FileManager.default
        for (rendition, byteCount) in channel.renditions {
            var shared: (path: String, names: Int)?
            for place in 1...count {
                let name = SegmentName(
                    start: end - place * channel.duration, revision: 0, fileExtension: .transportStream)
                let path = "\(folder)/\(ArchiveKey.segment(id, rendition, name).path)"
                try files.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                if let known = shared, channel.seconds < 4, known.names < Self.namesPerFile {
                    try files.linkItem(atPath: known.path, toPath: path)
                    shared = (known.path, known.names + 1)
                } else {
                    try Self.bytes(byteCount, seed: UInt8(truncatingIfNeeded: place)).write(
                        to: URL(filePath: path))
                    shared = (path, 1)
                }
            }
        }
    }

    /// Packets of a transport stream without content.
    private static func bytes(_ count: Int64, seed: UInt8) -> Data {
        var packet = Data(repeating: seed, count: 188)
        packet.replaceSubrange(0..<4, with: [0x47, 0x1F, 0xFF, 0x10])
        var bytes = Data(capacity: Int(count))
        for _ in 0..<(count / 188) { bytes.append(packet) }
        return bytes
    }
}
