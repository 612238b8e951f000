import Glibc
import Testing
import WireProtocol

@testable import Datagrams
@testable import Identity
@testable import Roomful

/// Sends one datagram of any length to a socket's port on 127.0.0.1, by a plain system call of its own.
func send(_ bytes: [UInt8], to host: DatagramSocket) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = host.address.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let sent = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            sendto(descriptor, bytes, bytes.count, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(sent == bytes.count)
}
