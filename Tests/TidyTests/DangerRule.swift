import Foundation

/// A construct that the compiler cannot check, or that ends the process.
enum DangerousConstruct: String, CaseIterable {
    case uncheckedSendable = "@unchecked Sendable"
    case nonisolatedUnsafe = "nonisolated(unsafe)"
    case detachedTask = "Task.detached"
    case forcedTry = "try!"
    case fatalCall = "fatalError"
    case failedPrecondition = "preconditionFailure"
    /// Strict memory safety marks each such place; they belong to the Adapters.
    case unsafe = "unsafe"

    /// A word that a file has wherever the construct stands; looking for it first is quick.
    var word: String {
        switch self {
        case .uncheckedSendable: "@unchecked"
        case .detachedTask: "detached"
        default: rawValue
        }
    }

    func stands(in line: Substring) -> Bool {
        let pattern =
            switch self {
            case .uncheckedSendable: /@unchecked\s+Sendable/
            case .nonisolatedUnsafe: /nonisolated\(unsafe\)/
            case .detachedTask: /\bTask\s*\.\s*detached\b/
            case .forcedTry: /\btry!/
            case .fatalCall: /\bfatalError\b/
            case .failedPrecondition: /\bpreconditionFailure\b/
            case .unsafe: /(?:^|[\s(\[{=,!])unsafe\s+[\w(.&\[]/
            }
        return line.contains(pattern)
    }

    /// Where the construct needs no entry in the list.
    func isAtHome(in path: String) -> Bool {
        self == .unsafe && (path.hasPrefix("Sources/Adapters/") || path.hasPrefix("Tests/"))
    }
}

/// A dangerous construct stands only where the list says why.
struct DangerRule {
    var exceptions: [ListedException]

    func findings(in files: [TextFile]) -> [Finding] {
        let sources = files.filter { $0.isSwift && $0.path != "Package.swift" }
        return sources.flatMap(unlisted(in:)) + exceptions.compactMap { stale($0, in: sources) }
    }

    private func unlisted(in file: TextFile) -> [Finding] {
        let open = DangerousConstruct.allCases.filter {
            !$0.isAtHome(in: file.path) && !isListed($0, file.path) && file.text.contains($0.word)
        }
        guard !open.isEmpty else { return [] }
        return file.codeLines.flatMap { number, text in
            open.filter { $0.stands(in: text) }.map {
                Finding(path: file.path, line: number, reason: "\($0.rawValue) without a reason in the list")
            }
        }
    }

    private func isListed(_ construct: DangerousConstruct, _ path: String) -> Bool {
        exceptions.contains { $0.construct == construct && $0.path == path }
    }

    private func stale(_ exception: ListedException, in files: [TextFile]) -> Finding? {
        let name = exception.construct.rawValue
        guard exception.reason.split(separator: " ").count >= 3 else {
            return Finding(path: exception.path, reason: "\(name): no reason is listed")
        }
        let lines = files.first { $0.path == exception.path }?.codeLines ?? []
        guard !lines.contains(where: { exception.construct.stands(in: $0.text) }) else { return nil }
        return Finding(path: exception.path, reason: "\(name) is listed but not there")
    }
}
