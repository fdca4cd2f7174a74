import Digest
import HLS
import MediaFormat

/// What the bytes of a part have to be.
enum PartIntakeKind: Sendable {
    case segment(InitSection?)
    case initSection
}

/// The bytes of one part on their way to the disk: opened where they are encrypted, and inspected.
///
/// Used by one task.
final class PartIntake {
    private let kind: PartIntakeKind
    /// Whether the bytes of the source are encrypted; of a section this is known at its end.
    private(set) var isEncrypted: Bool
    /// Whether what is stored is clear although the source's bytes are not.
    private let storesClear: Bool
    private var inspector: StreamingInspector
    private var cipher: AES128CBC?
    /// The clear bytes of an initialization section.
    private(set) var section: [UInt8] = []
    private(set) var byteCount: Int64 = 0

    init(
        _ kind: PartIntakeKind, key: [UInt8]?, vector: [UInt8], storesClear: Bool
    ) throws(DownloadError) {
        self.kind = kind
        self.storesClear = storesClear
        isEncrypted = key != nil
        if case .segment(let section) = kind {
            inspector = StreamingInspector(initSection: section)
        } else {
            inspector = StreamingInspector()
        }
        guard let key else { return }
        do {
            cipher = try AES128CBC(.decrypt, key: key, iv: vector)
        } catch {
            throw .key("\(error)")
        }
    }

    /// Takes the next bytes; gives those to be stored.
    ///
    /// Those of an initialization section are held until all are there.
    func take(_ bytes: [UInt8]) throws(AttemptFailure) -> [UInt8] {
        byteCount += Int64(bytes.count)
        guard case .segment = kind else {
            section += bytes
            return []
        }
        let clear = try decrypted(bytes)
        try inspect(clear)
        return storesClear ? clear : bytes
    }

    /// Ends the part; gives the bytes still to be stored.
    func finish() throws(AttemptFailure) -> [UInt8] {
        guard byteCount > 0 else { throw .damaged("the body is empty") }
        guard case .segment = kind else { return try finishSection() }
        let rest = try decryptedEnd()
        try inspect(rest)
        try checkSegment()
        return storesClear && isEncrypted ? rest : []
    }

    private func inspect(_ clear: [UInt8]) throws(AttemptFailure) {
        inspector.append(clear)
        if let refusal = inspector.refusal { throw .damaged("\(refusal)") }
    }

    private func decrypted(_ bytes: [UInt8]) throws(AttemptFailure) -> [UInt8] {
        do {
            return try cipher?.update(bytes) ?? bytes
        } catch {
            throw .damaged("\(error)")
        }
    }

    private func decryptedEnd() throws(AttemptFailure) -> [UInt8] {
        guard let cipher = cipher.take() else { return [] }
        do {
            return try cipher.finish()
        } catch {
            throw .damaged("the key does not decrypt it, or its end is missing")
        }
    }

    /// Ends an initialization section, which may be clear although the playlist names a key for it.
    ///
    /// FFmpeg writes EXT-X-KEY before EXT-X-MAP, and encrypts only the segments.
    private func finishSection() throws(AttemptFailure) -> [UInt8] {
        let received = section
        if isEncrypted, (try? InitSection.reading(received)) == nil {
            section = try decrypted(received) + decryptedEnd()
        } else {
            isEncrypted = false
        }
        guard section.count <= Limits.initSectionBytes else {
            throw .damaged("the initialization section is larger than \(Limits.initSectionBytes) bytes")
        }
        do {
            _ = try InitSection.reading(section)
        } catch {
            throw .damaged("\(error)")
        }
        return storesClear ? section : received
    }

    private func checkSegment() throws(AttemptFailure) {
        let inspection: MediaInspection
        do {
            let inspector = self.inspector
            inspection = try inspector.finish()
        } catch {
            throw .damaged("\(error)")
        }
        // Segments without media are legal: an empty one of subtitles, or a pause.
        guard case .damaged(let damage) = inspection.integrity, damage != .missingMedia else { return }
        throw .damaged("the segment is damaged: \(damage)")
    }
}
