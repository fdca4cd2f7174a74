import Foundation
import TestSupport

/// What programs say of themselves.
extension Program {
    /// An origin that publishes an encoded minute over and over.
    static func replaying(_ arguments: [String], ledger: String, log: String) throws -> Program {
        let always = [
            "replay", "--folder", try Programs.minutes.get().path, "--ledger", ledger,
            "--minute-seconds", "16", "--bits-per-second", "300000",
        ]
        return Program(Programs.path("live-origin"), always + arguments, log: log)
    }

    /// Waits until the program has said a word behind a mark, in a line that is whole.
    func word(after mark: String, in place: String) async throws -> String {
        try await waitFor("\(mark) in \(place)") {
            if let status = try exitStatus {
                throw TestFailure("ended with \(status): \(output.suffix(3_000))")
            }
            let text = output
            guard let start = text.range(of: mark)?.upperBound, text[start...].contains("\n") else {
                return nil
            }
            return String(text[start...].prefix { !$0.isWhitespace && $0 != "," })
        }
    }
}
