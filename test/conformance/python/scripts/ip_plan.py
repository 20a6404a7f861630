"""Plan subnets: `ip_plan.py NETWORK COUNT [ADDRESS…]`."""
import argparse
import ipaddress
import math

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("network", type=ipaddress.ip_network)
parser.add_argument("count", type=int)
parser.add_argument("addresses", nargs="*", type=ipaddress.ip_address)
args = parser.parse_args()
bits = math.ceil(math.log2(args.count)) if args.count > 0 else parser.error("COUNT must be positive")
try:
    subnets = list(args.network.subnets(bits))
except ValueError as error:
    parser.exit(3, f"cannot split: {error}\n")
for subnet in subnets[:args.count]:
    hosts = subnet.num_addresses - 2 if subnet.version == 4 else subnet.num_addresses
    print(f"{subnet!s:<22} {subnet.netmask} {subnet.network_address + 1} {hosts}")
for address in args.addresses:
    home = next((str(subnet) for subnet in subnets if address.version == subnet.version and address in subnet), "outside")
    print(address, home, address.is_private, address.is_loopback, address.reverse_pointer, int(address))
print(list(ipaddress.collapse_addresses(subnets)) == [args.network], args.network.supernet(), args.network.is_global)
print(ipaddress.ip_interface("10.0.0.9/8").network, ipaddress.IPv6Address("::ffff:1.2.3.4").ipv4_mapped, ipaddress.IPv6Address("2001:db8::1").exploded)
