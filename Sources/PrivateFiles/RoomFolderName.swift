import Crypto
import WireProtocol

/// The name of a room's folder: readable for people, safe for any file system, and different for different rooms.
///
/// `Bob's "Wohnzimmer" 🎉` becomes `bob-s-wohnzimmer-` and ten hexadecimal digits of the name's SHA-256, so that two
/// names with the same letters in them never share a folder.
///
/// - Parameter owner: whose it is, where several owners' rooms of one name lie side by side: then no two share a name.
package func roomFolderName(_ name: String, of owner: String? = nil) -> String {
    var slug = ""
    for byte in name.utf8.prefix(256) where slug.utf8.count < 32 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            slug.unicodeScalars.append(Unicode.Scalar(byte))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            slug.unicodeScalars.append(Unicode.Scalar(byte + 32))
        default:
            if !slug.isEmpty, slug.last != "-" { slug += "-" }
        }
    }
    if slug.last == "-" { slug.removeLast() }
    var named = Array(name.utf8)
    if let owner { named += [0] + Array(owner.utf8) }
    return (slug.isEmpty ? "room" : slug) + "-" + Hexadecimal.encode(SHA256.hash(data: named).prefix(5))
}
