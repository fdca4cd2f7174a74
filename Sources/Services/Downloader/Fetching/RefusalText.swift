import HTTP
import HTTPClient
import JSON

/// What the body of an answer says about its status: a problem document (RFC 9457), or plain text.
enum RefusalText {
    private enum Form {
        case problem
        case plain
    }

    /// Whether the body of an answer can say more than its status.
    static func isIn(_ head: TransferHead) -> Bool { form(of: head) != nil }

    /// The text in one line, bounded and without the query and the playback token of the URL; nil where there
    /// is none.
    static func reading(_ body: [UInt8], of head: TransferHead) -> String? {
        guard let form = form(of: head) else { return nil }
        let text: String? =
            switch form {
            case .problem: message(ofProblem: body)
            case .plain: String(decoding: body, as: UTF8.self)
            }
        // The body may be cut in its last word, where a part of a token would not be recognised.
        let isCut = form == .plain && body.count >= Limits.kindBytes
        guard let text, let line = line(text, withoutLastWord: isCut) else { return nil }
        // Cut first, it could end with the beginning of a token.
        let shown = redacted(line, of: try? HTTPURL(head.effectiveURL)).unicodeScalars
        return String(String.UnicodeScalarView(shown.prefix(Limits.detailLength)))
    }

    private static func redacted(_ line: String, of url: HTTPURL?) -> String {
        var shown = line
        if let token = url?.playbackToken { shown.replace("/t/\(token)/", with: "/") }
        if let query = url?.query, !query.isEmpty { shown.replace(query, with: "…") }
        return shown
    }

    private static func form(of head: TransferHead) -> Form? {
        switch head.headers["Content-Type"].flatMap(MediaType.init(reading:))?.essence {
        case "application/problem+json": .problem
        case "text/plain": .plain
        default: nil
        }
    }

    /// The detail of a problem document, else its title.
    private static func message(ofProblem body: [UInt8]) -> String? {
        let problem = try? JSONReader.value(of: body)
        for name in ["detail", "title"] {
            if case .string(let message)? = problem?[name], line(message) != nil { return message }
        }
        return nil
    }

    private static func line(_ text: String, withoutLastWord isCut: Bool = false) -> String? {
        let words = text.unicodeScalars.split { $0.value <= 0x20 || $0.value == 0x7F }
        let line = words.dropLast(isCut ? 1 : 0).map { String($0) }.joined(separator: " ")
        return line.isEmpty ? nil : line
    }
}

extension Transfer {
    /// A failure that the head of the answer means, with what its body says about it.
    ///
    /// Only the beginning of the body is read, and nothing where it says no more than the status.
    mutating func explaining(_ failure: AttemptFailure) async -> AttemptFailure {
        guard AttemptFailure(head) != nil, RefusalText.isIn(head) else { return failure }
        var bytes: [UInt8] = []
        while bytes.count < Limits.kindBytes, let chunk = try? await nextChunk() { bytes += chunk }
        return AttemptFailure(head, bytes) ?? failure
    }
}
