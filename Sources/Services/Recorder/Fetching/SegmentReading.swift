import Digest
import HLS
import MediaFormat
import Timeline

/// What must be at hand before a segment can be read.
struct SegmentIntake: Sendable {
    var key: ContentKey?
    var iv: [UInt8]?
    /// METHOD in force; nil for clear segments.
    var method: Key.Method?
    var isStoredEncrypted = false
    var drmTags: [String] = []
    var initialization: HeldInitialization?
    /// The URL of the segment's key; nil when the segment is clear or its key cannot be recorded.
    var cipher: KeyPendingSegment.Cipher?
    /// The initialization section as it came, when its key is missing now.
    var sealed: KeyPendingSegment.Initialization?
    /// A key is missing now: the bytes are stored as they come.
    var isPending = false

    /// Whether the bytes are read with the key at hand.
    var isDeciphered: Bool { method == .aes128 && key != nil && !isPending }

    /// Whole-segment encryption without a key leaves nothing to look into.
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
    }

    private let intake: SegmentIntake
    private var inspector: StreamingInspector
    private var cipher: AES128CBC?
    private var storedBytes: Int64 = 0
    private var plainBytes: Int64 = 0

    init(_ intake: SegmentIntake) throws {
        self.intake = intake
        inspector = StreamingInspector(initSection: intake.initialization?.section)
        if intake.isDeciphered, let key = intake.key, let iv = intake.iv {
            cipher = try AES128CBC(.decrypt, key: key.bytes, iv: iv)
        }
    }

    /// Takes what came; gives what is to be stored.
    func take(_ chunk: [UInt8]) throws -> [UInt8] {
        storedBytes += Int64(chunk.count)
        let clear = try cipher?.update(chunk) ?? chunk
        try look(at: clear)
        return intake.isStoredEncrypted ? chunk : clear
    }

    /// Ends the segment; gives what is still to be stored.
    func finish() throws -> (rest: [UInt8], Result) {
        var rest: [UInt8] = []
        guard storedBytes > 0 else { throw MediaFormatError.empty }
        if intake.method == .aes128, case .damaged = EncryptedBody.check(byteCount: Int(storedBytes)) {
            throw FetchFailure(.segmentCorrupt, "\(storedBytes) bytes are no whole number of cipher blocks")
        }
        if let ended = cipher.take() {
            rest = try ended.finish()
            try look(at: rest)
        }
        let inspection = intake.isOpaque ? nil : try inspected()
        return (intake.isStoredEncrypted ? [] : rest, Result(inspection: inspection, plainBytes: plainBytes))
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
        guard !intake.isOpaque else { return }
        inspector.append(clear)
        if let refusal = inspector.refusal { throw failure(refusal) }
    }

    /// What a wrong key makes of a segment is no media; another key may come.
    private func failure(_ refusal: MediaFormatError) -> any Error {
        intake.isDeciphered ? FetchFailure.unopened("\(refusal)") : refusal
    }
}
