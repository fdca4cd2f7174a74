import Files
import Glibc
import MediaFormat

/// Holds back the first bytes of a media file until they show that it is one.
struct MediaFileSniffer {
    private var held: [UInt8] = []
    private var isKnown: Bool

    init(isKnown: Bool) {
        self.isKnown = isKnown
    }

    var heldCount: Int64 { Int64(held.count) }

    /// Takes the next bytes; gives those to be stored.
    mutating func take(_ bytes: [UInt8]) throws(AttemptFailure) -> [UInt8] {
        if isKnown { return bytes }
        held += bytes
        guard MediaFileKind(recognising: held) == nil else { return release() }
        return held.count < Limits.kindBytes ? [] : try finish()
    }

    /// The bytes still to be stored, where no more come.
    mutating func finish() throws(AttemptFailure) -> [UInt8] {
        if !isKnown, let refusal = MediaFileKind.refusal(of: held) { throw .damaged("\(refusal)") }
        return release()
    }

    private mutating func release() -> [UInt8] {
        isKnown = true
        defer { held = [] }
        return held
    }
}

extension TaskFolder {
    /// Why the draft of a media file is damaged or incomplete; nil if no damage is found.
    func damage(ofDraft name: String) async throws(DownloadError) -> String? {
        try await work.run { () throws(DownloadError) in
            let path = try location(of: Self.draft(of: name))
            guard let byteCount = try disk.byteCount(of: path) else { return "it is not there" }
            let file = try disk.open(path, O_RDONLY | O_NOFOLLOW)
            let opening = try file.read(at: 0, upTo: Limits.kindBytes)
            guard let kind = MediaFileKind(recognising: opening) else {
                return MediaFileKind.refusal(of: opening).map { "\($0)" }
            }
            let inspector = MediaFileInspector(byteCount: UInt64(clamping: byteCount)) {
                (offset, count) throws(DownloadError) in
                try file.read(at: Int64(clamping: offset), upTo: count)
            }
            return try inspector.damage(of: kind).map { "\($0)" }
        }
    }
}
