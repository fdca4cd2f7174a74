/// Rules about any text of the repository.
enum TextRules {
    /// The formatter breaks code at this column and leaves comments alone.
    static let commentColumns = 110

    /// Comments of Swift files beyond the columns that code keeps to.
    static func wideComments(_ files: [TextFile]) -> [Finding] {
        files.filter(\.isSwift).flatMap { file in
            file.lines.compactMap { number, text in
                guard text.count > commentColumns, text.drop(while: { $0 == " " }).hasPrefix("//") else {
                    return nil
                }
                return Finding(path: file.path, line: number, reason: "a comment of \(text.count) columns")
            }
        }
    }

    /// Longer files hold more than one idea.
    static let lineLimit = 400

    static func tooLong(_ files: [TextFile]) -> [Finding] {
        files.filter(\.isSwift).compactMap { file in
            let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            guard count > lineLimit else { return nil }
            return Finding(path: file.path, reason: "\(count) lines; the limit is \(lineLimit)")
        }
    }

    /// The marks of unfinished work; spelt in pieces, for this file is read too.
    static func unfinished(_ files: [TextFile]) -> [Finding] {
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        return files.flatMap { file in
            file.lines.compactMap { number, text in
                let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                guard let mark = marks.first(where: { words.contains(Substring($0)) }) else { return nil }
                return Finding(path: file.path, line: number, reason: "\(mark): finish it or drop it")
            }
        }
    }

    /// Folders of one machine: what is written works everywhere.
    static func machinePaths(_ files: [TextFile]) -> [Finding] {
        let folders = [
            "ho" + "me", "Us" + "ers", "ro" + "ot", "wo" + "rk", "worksp" + "ace", "opt/sw" + "ift",
        ]
        return files.flatMap { file in
            file.lines.compactMap { number, text in
                guard let folder = folders.first(where: { text.hasPath(under: $0) }) else { return nil }
                return Finding(
                    path: file.path, line: number, reason: "names /\(folder)/…, a machine's own folder")
            }
        }
    }
}

extension Substring {
    /// Whether an absolute path below a folder of the root stands in the line, not a part of a longer path or
    /// URL.
    fileprivate func hasPath(under folder: String) -> Bool {
        ranges(of: "/\(folder)/").contains { range in
            guard range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || "/.-_}{$\\*>)".contains(before))
        }
    }
}
