import Testing

@Suite("Swift source without prose")
struct SwiftCodeTests {
    @Test(
        "Comments and literals go, code stays",
        arguments: [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (#"f("try!") + g"#, "f(      ) + g"),
            (#"f("a\"try!") + g"#, "f(         ) + g"),
            (##"f(#"a"b"#) + g"##, "f(       ) + g"),
            (#"f("\(x ?? "y")z") + g"#, "f(              ) + g"),
            ("f(\"\"\"\n  a\n\"\"\") + g", "f(   \n   \n   ) + g"),
            (#"f("http://x") + g"#, "f(          ) + g"),
            ("let a = \"open\nlet b = c", "let a =      \nlet b = c"),
        ])
    func stripped(source: String, code: String) {
        #expect(SwiftCode.stripped(source) == code)
    }

    @Test("Cut anywhere, a source is still read to its end")
    func truncated() {
        let source = ##"a("\(b("c" /* d */))", #"e\#(f)"#) // g"##
        for count in 0...source.count {
            let cut = String(source.prefix(count))
            #expect(SwiftCode.stripped(cut).utf8.count == cut.utf8.count)
        }
    }
}
