/// Swift source without its comments and literals, so that a rule about code does not read prose.
enum SwiftCode {
    /// The source with comments and the contents of string literals as spaces; line ends stay where they are.
    ///
    /// What is interpolated into a literal goes with the literal.
    static func stripped(_ source: String) -> String {
        var scanner = Scanner(source)
        return scanner.run()
    }

    private struct Scanner {
        private let input: [UInt8]
        private var position = 0
        private var output: [UInt8] = []

        init(_ source: String) {
            input = Array(source.utf8)
            output.reserveCapacity(input.count)
        }

        mutating func run() -> String {
            while position < input.count {
                if starts(with: "//") {
                    blank { $0.input[$0.position] == UInt8(ascii: "\n") }
                } else if starts(with: "/*") {
                    blankComment()
                } else if let hashes = literalStart() {
                    blankLiteral(hashes: hashes)
                } else {
                    output.append(input[position])
                    position += 1
                }
            }
            return String(decoding: output, as: UTF8.self)
        }

        private func starts(with text: String) -> Bool {
            input[position...].starts(with: text.utf8)
        }

        private mutating func blank(_ count: Int) {
            for byte in input[position...].prefix(count) {
                output.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
            }
            position = min(position + count, input.count)
        }

        private mutating func blank(until isEnd: (Self) -> Bool) {
            while position < input.count, !isEnd(self) { blank(1) }
        }

        /// Comments nest.
        private mutating func blankComment() {
            var depth = 0
            repeat {
                if starts(with: "/*") {
                    depth += 1
                    blank(2)
                } else if starts(with: "*/") {
                    depth -= 1
                    blank(2)
                } else {
                    blank(1)
                }
            } while depth > 0 && position < input.count
        }

        /// The number of `#` before the quotation mark, if a literal begins here.
        private func literalStart() -> Int? {
            let hashes = input[position...].prefix { $0 == UInt8(ascii: "#") }.count
            let mark = position + hashes
            return mark < input.count && input[mark] == UInt8(ascii: "\"") ? hashes : nil
        }

        private mutating func blankLiteral(hashes: Int) {
            blank(hashes)
            let marks = starts(with: "\"\"\"") ? "\"\"\"" : "\""
            let fence = String(repeating: "#", count: hashes)
            let isSingleLine = marks.count == 1
            blank(marks.count)
            while position < input.count, !starts(with: marks + fence) {
                if isSingleLine, input[position] == UInt8(ascii: "\n") { return }
                let isEscape = starts(with: "\\" + fence)
                if isEscape, input.dropFirst(position + 1 + hashes).first == UInt8(ascii: "(") {
                    blankInterpolation(from: 1 + hashes)
                } else {
                    blank(isEscape ? 2 + hashes : 1)
                }
            }
            blank(marks.count + hashes)
        }

        /// An interpolation ends with its own bracket, and may hold literals itself.
        private mutating func blankInterpolation(from opening: Int) {
            blank(opening)
            var depth = 0
            repeat {
                if let hashes = literalStart() {
                    blankLiteral(hashes: hashes)
                    continue
                }
                if starts(with: "(") { depth += 1 }
                if starts(with: ")") { depth -= 1 }
                blank(1)
            } while depth > 0 && position < input.count
        }
    }
}
