import Foundation

/// The processors that this process may use.
struct Processors {
    /// The mounted hierarchy of control groups, version 2.
    var groups = "/sys/fs/cgroup"
    /// The file that names the process's control group.
    var membership = "/proc/self/cgroup"

    /// The cores that the scheduler grants, at most the quota of the control group and of those above it;
    /// at least 1.
    var count: Int {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return max(1, quotas.map { Int($0.rounded(.up)) }.reduce(cores, min))
    }

    /// In cores, of each control group that has one.
    private var quotas: [Double] {
        let lines = (Self.text(membership) ?? "").split(separator: "\n")
        // A container sees its own group as the root.
        let own = lines.first { $0.hasPrefix("0::") }.map { $0.dropFirst(3) } ?? "/"
        var parts = own.split(separator: "/").filter { $0 != ".." }
        var quotas: [Double] = []
        while true {
            let folder = ([Substring(groups)] + parts).joined(separator: "/")
            if let quota = Self.text(folder + "/cpu.max").flatMap(Self.quota) { quotas.append(quota) }
            if parts.popLast() == nil { return quotas }
        }
    }

    /// "150000 100000" is one and a half cores, "max 100000" no limit.
    private static func quota(_ text: String) -> Double? {
        let numbers = text.split(whereSeparator: \.isWhitespace).map { Double($0) }
        guard numbers.count == 2, let time = numbers[0], let period = numbers[1], period > 0 else {
            return nil
        }
        return time / period
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
