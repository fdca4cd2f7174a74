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
    private let isEncrypted: Bool
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
    func take(_ bytes: [UInt8]) throws(AttemptFailure) -> [UInt8] {
        byteCount += Int64(bytes.count)
        let clear: [UInt8]
        do {
            clear = try cipher?.update(bytes) ?? bytes
        } catch {
            throw .damaged("\(error)")
        }
        try look(at: clear)
        return storesClear ? clear : bytes
    }

    /// Ends the part; gives the bytes still to be stored.
    func finish() throws(AttemptFailure) -> [UInt8] {
        guard byteCount > 0 else { throw .damaged("the body is empty") }
        var rest: [UInt8] = []
        if let cipher = cipher.take() {
            do {
                rest = try cipher.finish()
            } catch {
                throw .damaged("the key does not decrypt it, or its end is missing")
            }
            try look(at: rest)
        }
        switch kind {
        case .initSection: try checkSection()
        case .segment: try checkSegment()
        }
        return storesClear && isEncrypted ? rest : []
    }

    private func look(at clear: [UInt8]) throws(AttemptFailure) {
        switch kind {
        case .initSection:
            section += clear
            guard section.count <= Limits.initSectionBytes else {
                throw .damaged("the initialization section is larger than \(Limits.initSectionBytes) bytes")
            }
        case .segment:
            inspector.append(clear)
            if let refusal = inspector.refusal { throw .damaged("\(refusal)") }
        }
    }

    private func checkSection() throws(AttemptFailure) {
        do {
            _ = try InitSection.reading(section)
        } catch {
            throw .damaged("\(error)")
        }
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
