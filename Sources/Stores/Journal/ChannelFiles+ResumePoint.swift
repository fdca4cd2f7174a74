import Files
import Foundation
import Glibc
import Logging

/// One small file, which is written when its content changes.
extension ChannelFiles {
    private var resumePath: String { path("resume.json") }

    /// Nil if there is none, or this version cannot read it.
    func readResumePoint() throws(JournalError) -> ResumePoint? {
        if let resumePoint { return resumePoint }
        guard let bytes = try disk.read(resumePath, upTo: Int64(Limits.resumeByteCount)) else { return nil }
        do {
            resumePoint = try JSONDecoder().decode(ResumePoint.self, from: Data(bytes))
        } catch {
            logger.warning("A resume point cannot be read", metadata: ["error": "\(error)"])
        }
        return resumePoint
    }

    /// Makes a resume point durable in one step, unless it is there already.
    func store(_ point: ResumePoint) throws(JournalError) {
        try load()
        if try readResumePoint() == point { return }
        let bytes: [UInt8]
        do { bytes = Array(try JSONEncoder().encode(point)) } catch { throw .unencodable("\(error)") }
        guard bytes.count <= Limits.resumeByteCount else { throw .entryTooLarge(byteCount: bytes.count) }
        let draft = resumePath + ".new"
        let file = try disk.open(draft, O_CREAT | O_TRUNC | O_WRONLY, mode: 0o600)
        try disk.write(bytes, to: file)
        try disk.sync(file)
        try disk.rename(draft, to: resumePath)
        try disk.syncFolder(folder)
        resumePoint = point
    }

    /// Brings the resume point up to entries that were written.
    func noteInResumePoint(_ entries: [JournalEntry]) {
        do throws(JournalError) {
            guard let point = try readResumePoint() else { return }
            try store(point.adding(entries))
        } catch {
            logger.warning("The resume point is not up to date", metadata: ["error": "\(error)"])
        }
    }

    func removeResumePoint() throws(JournalError) {
        guard try readResumePoint() != nil else { return }
        resumePoint = nil
        try disk.remove(resumePath)
    }
}
