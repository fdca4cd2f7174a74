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
    /// A task that is no child of another one: cancellation does not reach it, and nothing waits for it by
    /// itself.
    case unstructuredTask = "an unstructured task"
    /// A clock that was not handed down: a test cannot move it.
    case clockRead = "a clock's own time"
    /// A pause that the clock that was handed down does not measure.
    case ownSleep = "a sleep of its own"
    /// The host's clock, which the program hands down.
    case hostClock = "the host's clock"
    /// Foundation's way to start a program: it reads beyond its buffer with about 1,350 open descriptors.
    case foundationProcess = "Foundation's Process"

    /// Words one of which a file has wherever the construct stands; looking for them first is quick.
    var words: [String] {
        switch self {
        case .uncheckedSendable: ["@unchecked"]
        case .detachedTask: ["detached"]
        case .unstructuredTask: ["Task"]
        case .clockRead: [".now", "Date()", "clock_gettime", "gettimeofday", "Clock()"]
        case .ownSleep: ["sleep", "asyncAfter"]
        case .hostClock: ["system"]
        case .foundationProcess: ["Process()"]
        default: [rawValue]
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
            case .unstructuredTask:
                /\bTask(?:<[^>]*>)?\s*(?:\{|\((?:priority|operation|name|executorPreference)\b)/
            case .clockRead:
                /\b(?:Continuous|Suspending)Clock(?:\(\))?\.now\b|\bSteadyInstant\.now\b|\bDate\(\)|\bDate\.now\b|\bclock_gettime\b|\bgettimeofday\b|\bDispatchTime\.now\b|(?:^|[^\w)\]?>])\.now(?:\(\)|[^\w(]|$)/
            case .ownSleep:
                /\bTask(?:<[^>]*>)?\.sleep\b|\b(?:u|nano)sleep\(|\bClock\(\)\.sleep\b|\basyncAfter\b/
            case .hostClock:
                /\bHostClock\.system\b|\b[cC]lock\s*[:=]\s*\.system\b|:\s*HostClock\s*=\s*\.system\b/
            case .foundationProcess: /\bProcess\(\)/
            }
        // Swift's own notion of a word does not end one at a full stop.
        return line.contains(pattern.wordBoundaryKind(.simple))
    }

    /// Where the construct needs no entry in the list.
    func isAtHome(in path: String) -> Bool {
        switch self {
        case .unsafe: path.hasPrefix("Sources/Adapters/") || path.hasPrefix("Tests/")
        case .unstructuredTask, .clockRead, .ownSleep, .foundationProcess: path.hasPrefix("Tests/")
        case .hostClock: path.hasPrefix("Sources/Program/") || path.hasPrefix("Tests/")
        default: false
        }
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
            !$0.isAtHome(in: file.path) && !isListed($0, file.path)
                && $0.words.contains(where: file.text.contains)
        }
        guard !open.isEmpty else { return [] }
        return file.codeLines.flatMap { number, text in
            open.filter { $0.stands(in: text) }.map {
                Finding(path: file.path, line: number, reason: "\($0.rawValue) without a reason in the list")
            }
        }
    }

    private func isListed(_ construct: DangerousConstruct, _ path: String) -> Bool {
        exceptions.contains { $0.construct == construct && $0.covers(path) }
    }

    private func stale(_ exception: ListedException, in files: [TextFile]) -> Finding? {
        let name = exception.construct.rawValue
        guard exception.reason.split(separator: " ").count >= 3 else {
            return Finding(path: exception.path, reason: "\(name): no reason is listed")
        }
        let construct = exception.construct
        let isThere = files.contains { file in
            exception.covers(file.path) && construct.words.contains(where: file.text.contains)
                && file.codeLines.contains { construct.stands(in: $0.text) }
        }
        guard !isThere else { return nil }
        return Finding(path: exception.path, reason: "\(name) is listed but not there")
    }
}
