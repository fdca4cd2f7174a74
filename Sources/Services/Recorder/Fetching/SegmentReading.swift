import Digest
import HLS
import MediaFormat
import Timeline

/// What must be at hand before a segment can be read.
struct SegmentPrerequisites: Sendable {
    var key: ContentKey?
    var iv: [UInt8]?
    /// METHOD in force; nil for clear segments.
    var method: Key.Method?
    var isStoredEncrypted = false
    var drmTags: [String] = []
    var initialization: ArchivedInitSection?
    /// The URL of the segment's key; nil when the segment is clear or its key cannot be recorded.
    var cipher: KeyPendingSegment.Cipher?
    /// The initialization section as it came, when its key is missing now.
    var encryptedInitialization: KeyPendingSegment.Initialization?
    /// A key is missing now: the bytes are stored as they come.
    var isPending = false
    /// The source refuses the URL of a key.
    var isDenied = false

    /// Whether the key is known to be right, so that the decrypted part of an incomplete body is kept.
    var keepsIncomplete = false

    /// Whether the bytes are read with the key at hand.
    var isDeciphered: Bool { method == .aes128 && key != nil && !isPending }

    /// Whether the bytes cannot be inspected because a key is missing; with sample encryption they can.
    var isOpaque: Bool {
        if let method, method.leavesContainerClear { return false }
        return isPending || key == nil && method != nil
    }
}

/// One segment on its way through decryption and inspection.
///
/// Used by one task.
final class SegmentReading {
    /// What was seen of the media.
    struct Result: Sendable {
        /// Nil when the bytes cannot be looked into.
        var inspection: MediaInspection?
        var plainBytes: Int64
        /// The body ended before the segment did.
        var isIncomplete = false
        /// It did so because the transfer was cut.
        var isCut = false

        var isWhole: Bool {
            if case .damaged = inspection?.integrity { return false }
            return !isIncomplete
        }

        /// Whether these media prove that the key is right.
        var provesKey: Bool { inspection?.provesKey ?? false }
    }

    private let prerequisites: SegmentPrerequisites
    private var inspector: StreamingInspector
    private var cipher: AES128CBC?
    /// Encrypted bytes that are not decrypted yet; they are stored after they have been decrypted.
    private var undeciphered: [UInt8] = []
    /// The encrypted block that was stored last.
    private var lastBlock: [UInt8] = []
    private var storedBytes: Int64 = 0
    private var plainBytes: Int64 = 0

    init(_ prerequisites: SegmentPrerequisites) throws {
        self.prerequisites = prerequisites
        inspector = StreamingInspector(initSection: prerequisites.initialization?.section)
        if prerequisites.isDeciphered, let key = prerequisites.key, let iv = prerequisites.iv {
            cipher = try AES128CBC(.decrypt, key: key.bytes, iv: iv)
            lastBlock = iv
        }
    }

    /// Takes received bytes; returns the bytes to store.
    func take(_ chunk: [UInt8]) throws -> [UInt8] {
        storedBytes += Int64(chunk.count)
        guard let clear = try cipher?.update(chunk) else {
            try look(at: chunk)
            return chunk
        }
        try look(at: clear)
        return prerequisites.isStoredEncrypted ? encrypted(clear.count, of: chunk) : clear
    }

    /// As many encrypted bytes as were decrypted, so that a part ends with a whole block.
    private func encrypted(_ count: Int, of chunk: [UInt8]) -> [UInt8] {
        let ready = undeciphered + chunk
        undeciphered = Array(ready.dropFirst(count))
        if count >= AES128CBC.keyByteCount {
            lastBlock = Array(ready.prefix(count).suffix(AES128CBC.keyByteCount))
        }
        return Array(ready.prefix(count))
    }

    /// Ends the segment; gives what is still to be stored.
    ///
    /// `isCut`: the body ended too early.
    func finish(isCut: Bool = false) throws -> (rest: [UInt8], Result) {
        var rest: [UInt8] = []
        guard storedBytes > 0 else { throw MediaFormatError.empty }
        if let ended = cipher.take() {
            if isCut || prerequisites.keepsIncomplete { return try finishIncomplete(isCut: isCut) }
            try checkBlocks()
            do {
                rest = try ended.finish()
            } catch {
                // If the first bytes are no media, the key is wrong; otherwise the body was cut.
                let inspection = try inspected()
                var failure = FetchFailure.undecryptable("the padding is wrong", byteCount: storedBytes)
                failure.provesKey = inspection.provesKey
                throw failure
            }
            try look(at: rest)
        } else if prerequisites.method == .aes128 {
            try checkBlocks()
        }
        let inspection = prerequisites.isOpaque ? nil : try inspected()
        return (
            prerequisites.isStoredEncrypted ? undeciphered : rest,
            Result(inspection: inspection, plainBytes: plainBytes, isIncomplete: isCut, isCut: isCut)
        )
    }

    private func checkBlocks() throws {
        guard case .damaged = EncryptedBody.check(byteCount: Int(storedBytes)) else { return }
        var failure = FetchFailure(
            .segmentCorrupt, "\(storedBytes) bytes are not a multiple of the cipher block size")
        failure.damagedByteCount = storedBytes
        if prerequisites.isDeciphered { failure.provesKey = (try? inspected())?.provesKey ?? false }
        throw failure
    }

    /// Finishes an incomplete body without its last block, which may be padding.
    ///
    /// Stored encrypted bytes get a new padding block, because players refuse a body without padding.
    private func finishIncomplete(isCut: Bool) throws -> (rest: [UInt8], Result) {
        guard plainBytes > 0 else { throw MediaFormatError.empty }
        var rest: [UInt8] = []
        if prerequisites.isStoredEncrypted, let key = prerequisites.key {
            rest = try AES128CBC(.encrypt, key: key.bytes, iv: lastBlock).finish()
        }
        let result = Result(
            inspection: try inspected(), plainBytes: plainBytes, isIncomplete: true, isCut: isCut)
        return (rest, result)
    }

    private func inspected() throws -> MediaInspection {
        do {
            return try inspector.finish()
        } catch {
            throw failure(error)
        }
    }

    private func look(at clear: [UInt8]) throws {
        plainBytes += Int64(clear.count)
        guard !prerequisites.isOpaque else { return }
        inspector.append(clear)
        if let refusal = inspector.refusal { throw failure(refusal) }
    }

    /// A segment decrypted with a wrong key is not media; another key may come.
    private func failure(_ refusal: MediaFormatError) -> any Error {
        prerequisites.isDeciphered ? FetchFailure.undecryptable("\(refusal)") : refusal
    }
}

extension MediaInspection {
    /// Whether these media prove that the key of encrypted bytes is right.
    ///
    /// The first bytes alone prove little: a transport stream has one fixed byte, and packed audio has eleven
    /// or twelve fixed bits.
    fileprivate var provesKey: Bool {
        switch container {
        case .fragmentedMP4, .webVTT: true
        case .transportStream: !tracks.isEmpty
        case .packedAudio: firstTimestamp != nil
        }
    }
}
