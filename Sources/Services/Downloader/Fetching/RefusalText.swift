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

    /// The text in one line, bounded and without the query of the URL, which may be a token; nil where there
    /// is none.
    static func reading(_ body: [UInt8], of head: TransferHead) -> String? {
        guard let form = form(of: head) else { return nil }
        let text: String? =
            switch form {
            case .problem: words(ofProblem: body)
            case .plain: String(decoding: body, as: UTF8.self)
            }
        guard let text, let line = line(text) else { return nil }
        guard let query = (try? HTTPURL(head.effectiveURL))?.query, !query.isEmpty else { return line }
        return line.replacing(query, with: "…")
    }

    private static func form(of head: TransferHead) -> Form? {
        switch head.headers["Content-Type"].flatMap(MediaType.init(reading:))?.essence {
        case "application/problem+json": .problem
        case "text/plain": .plain
        default: nil
        }
    }

    /// The detail of a problem document, else its title.
    private static func words(ofProblem body: [UInt8]) -> String? {
        let problem = try? JSONReader.value(of: body)
        for name in ["detail", "title"] {
            if case .string(let words)? = problem?[name], line(words) != nil { return words }
        }
        return nil
    }

    private static func line(_ text: String) -> String? {
        let words = text.unicodeScalars.split { $0.value <= 0x20 || $0.value == 0x7F }
        let line = words.map { String($0) }.joined(separator: " ")
        let shown = line.unicodeScalars.prefix(Limits.detailLength)
        return shown.isEmpty ? nil : String(String.UnicodeScalarView(shown))
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
