//! The first version of the services: what the `.proto` files are compiled to.
#![expect(
    missing_docs,
    unused_qualifications,
    clippy::too_many_lines,
    clippy::allow_attributes_without_reason,
    reason = "generated from the .proto files, which document the messages"
)]

tonic::include_proto!("palaestra.v1alpha1");
