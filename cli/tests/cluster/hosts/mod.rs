//! The cluster on several hosts: network namespaces with a slow link, lost packets and partitions.

mod network;
mod partition;
